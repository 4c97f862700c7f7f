"""Fever."""

from __future__ import annotations

from sonmf.datasets.pictures.picture import Complaint, Picture

FEVER = Complaint(
    chief="""
    fever; fevers; high fever; fever and chills; temp of {100..104} at home; tactile fever; fever on and off;
    subjective fever; feels hot; running a fever; fever wont break; fever up to {101..104}
    """,
    calm="""
    child: alert and playful; baby: strong cry; baby: fontanelle flat; baby: good tone; well appearing; nontoxic;
    skin warm and dry; child: good eye contact; baby: consolable; moist mucous membranes; no distress; baby: crying tears;
    child: drinking juice in triage; kid: age appropriate; grown: walked to triage; resp unlabored; neck supple;
    cap refill brisk
    """,
    ill="""
    ill appearing; lethargic; skin hot and flushed; mottled; clammy and pale; shaking chills in triage; tachycardic;
    cap refill {3|4} sec; listless; mucous membranes dry; baby: weak cry; grown: hypotensive for ems; grown: {1|2}l ns by ems;
    child: wont make eye contact; grown: slumped in wheelchair; child: limp in {carer} arms; skin mottled and cool;
    sepsis alert called
    """,
    pictures=(
        Picture(
            "childhood virus", 0.24, -1.7, (0, 7), "days",
            mild="""
            {tylenol|motrin} {2|3} hrs ago; eating popsicles; playing between fevers; goes to daycare; sibling sick;
            immunizations utd; {carer} just wants to be sure; seen at peds yesterday; baby: teething;
            baby: got shots yesterday; popsicle in hand; acting normal now; broke with {tylenol|motrin}; daycare note;
            fever since nap
            """,
            usual="""
            runny nose; cough; fussy; not eating much; decreased po; {tylenol|motrin} q{4|6}h; rash on {trunk|belly|face};
            sores in mouth; blisters on hands and feet; baby: {3|4} wet diapers today; vomited x{1|2}; loose stools;
            roseola going around; sleeping more; congestion; swollen glands; hand foot mouth; slapped cheeks; snotty nose;
            clingy; picky; goopy eyes; fifth disease at school; spotty rash; whiny; gagging; pink eye; mouth ulcers;
            diaper rash; temp {101..104} under arm
            """,
            severe="""
            stiffened and shook x{2|3} min; limp at home; wont drink; baby: no wet diaper x{8..12} hrs;
            child: not peed since yesterday; inconsolable; {5|6|7} days of fever and red eyes;
            cracked lips and strawberry tongue; shaking all over then sleepy; baby: wont wake for bottle; jerking then blank;
            peeling fingertips; lips cracked; belly hard; dry diapers; grunting; fever {105|105.2}
            """,
            denied="ear pain; travel; neck stiffness; urinary sx; trauma; tick bite",
            conditions="premature; reactive airway; eczema; heart defect", vitals="fever fast",
        ),
        Picture(
            "young infant", 0.05, 1.6, (0, 0), "hours",
            mild="""
            warm after being bundled; got shots {today|yesterday}; feeding well q{2|3}h; rectal temp {100|100.4} per {carer};
            first fever; sibling with cold; swaddled and hot room; axillary temp only; sneezing; first time parents;
            latching well
            """,
            usual="""
            rectal temp {100.4|100.8|101|101.4}; *full term vaginal delivery; *born at {34..40} weeks; fussy;
            less wet diapers; sleepy; slow to feed; spitting up; breastfed; gbs positive mom; sent by pediatrician for workup;
            *c section delivery; skipping feeds; *nursery stay {2|3} days; mom gbs treated; circumcised; formula {1|2} oz;
            gassy; cranky; pale stools; mottles easily; low apgar; *no prenatal care; prom {18|24} hrs; cord still on; spits
            """,
            severe="""
            grunting; bulging fontanelle; poor suck; limp and mottled; high pitched cry; wont wake to feed; apnea spell;
            mom with herpes lesions; *nicu x{2|3} weeks after birth; jaundice and lethargic; floppy; shrill cry; seizing;
            cold hands; breathing pauses; sunken fontanelle; blue spells; vesicles on scalp; not rousable; will not suck
            """,
            denied="cough; runny nose; rash; sick contacts; vomiting; diarrhea; seizure",
            conditions="premature; heart defect", vitals="fever fast",
        ),
        Picture(
            "ear and throat", 0.15, -1.8, (2, 34), "days",
            mild="""
            child: strep at school; tonsils look red; ear tubes; water in ears from swimming; friend has mono;
            wants strep test; swimmers ear; hoarse; gargling salt water; roommate has strep; popsicles help
            """,
            usual="""
            sore throat; pulling at {left|right|both} ear; ear pain; painful swallowing; white spots on tonsils;
            swollen glands in neck; headache; exudate; hx of strep x{2|3} this year; ear drainage; bad breath; stomach ache;
            sandpaper rash; on amoxicillin x{1|2} days; otitis last month; tonsils touching; odynophagia; red ear;
            pus on tonsils; glands up; mono spot positive; beefy throat; strawberry tongue; ear popping; spleen tender;
            rapid strep positive; petechiae on palate; tm bulging
            """,
            severe="""
            cannot swallow saliva; muffled voice; uvula pushed to {side}; trismus; neck swollen {side} side;
            swelling behind ear; drooling; ear sticking out and red behind; hot potato voice; peritonsillar swelling;
            cannot open mouth; stridor; leaning forward; neck mass fluctuant; unable to swallow pills; spitting into cup;
            mastoid boggy; torticollis
            """,
            denied="cough; rash on legs; vomiting; diarrhea; urinary sx; neck stiffness; sob; seizure",
            conditions="allergies; asthma; eczema", vitals="fever pain",
        ),
        Picture(
            "urinary", 0.13, 0.15, (18, 86), "days",
            mild="""
            burning with urination; azo otc; frequent urination; had uti last month; *on {macrobid|bactrim} {1|2} days;
            cloudy urine; cranberry juice not helping; uti symptoms; increased water; wants urine test; pyridium; odor;
            m: prostate exam last week; f: after {intercourse|honeymoon}
            """,
            usual="""
            dysuria; {side} flank pain; back pain {side} side; chills; urinary frequency; urgency; foul smelling urine;
            hematuria; nausea; cva tenderness; hx kidney stones; *old m: foley changed last week; pelvic pressure;
            suprapubic pain; *self caths; *on {cipro|macrobid|bactrim|keflex}; pyelo in past; kidney infection;
            costovertebral pain; hesitancy; nocturia; *straight cath; cloudy and bloody; chills with voiding; colic;
            *ureteral stent; m: prostatitis; pelvic pain; *stent pulled {tuesday|friday}
            """,
            severe="""
            rigors; *foley with pus; *nephrostomy tube not draining; vomiting and cant keep {antibiotic} down;
            no urine output today; *renal transplant; confused per {family}; *{stent|stone} with fever per urology;
            *young f: pregnant {14..34} wks with flank pain; esbl in past; septic from urine last year;
            shaking uncontrollably; *pus from foley; *obstructing stone on ct; *urostomy; cannot void; flank abscess;
            cold and clammy; delirious
            """,
            denied="cough; sob; sore throat; rash; diarrhea; headache; chest pain; neck stiffness",
            conditions="stones; dm; bph; spinal cord injury; ckd; pregnancy", vitals="fever fast", women=0.7,
        ),
        Picture(
            "pneumonia and flu", 0.14, 0.1, (16, 84), "days",
            mild="""
            *flu going around office; no flu shot; theraflu with some relief; runny nose and body aches; dry cough;
            slept all day; achy; *coworker flu positive; covid test neg; sniffles; sweats overnight
            """,
            usual="""
            cough; productive cough {green|yellow|brown} sputum; body aches; headache;
            *flu swab positive at {clinic|urgent care}; pleuritic pain; tamiflu started; hurts all over; night sweats;
            sob with exertion; rhonchi {side}; nasal congestion; sore ribs; no appetite; *influenza a; *influenza b;
            chest hurts with cough; myalgias; rattly; dry hacking; shaking chills; exhausted; *infiltrate; sweats; crackles;
            rusty sputum; cannot get warm; sore throat
            """,
            severe="""
            sats {84..89}% ra; sob at rest; confused; *infiltrate on cxr at {clinic|facility}; coughing up blood streaks;
            too weak to stand; not better after {2|3} {antibiotic} courses; lips blue; needed o2 at {clinic|facility};
            o2 sat {80..86} at urgent care; hypoxic; labored; delirious; purple lips; respiratory distress; septic looking;
            coughing till blue
            """,
            denied="dysuria; rash; abd pain; leg swelling; neck stiffness; flank pain; diarrhea",
            conditions="copd; asthma; dm; smoker; hiv", vitals="fever fast hypoxia",
        ),
        Picture(
            "neutropenic", 0.07, 2.2, (22, 78), "hours",
            mild="""
            told to come in for temp {100.4|100.5|100.6}; chemo {2|3} wks ago; took temp before tylenol;
            onc nurse line said come in; feels ok otherwise; counts were good last week; infusion last {tuesday|friday};
            neupogen yesterday; oncologist notified; low counts expected; mask on
            """,
            usual="""
            chemo {4..12} days ago; *f: {breast|ovarian|cervical} cancer on chemo; *m: {prostate|testicular} cancer on chemo;
            *{colon|lung|pancreatic|bladder|esophageal} cancer on chemo; *{leukemia|lymphoma|myeloma|all|aml};
            port {side} chest; picc line; wbc {0.4|0.8|1.1} per onc; mouth sores; neulasta given; chills after port flushed;
            *bone marrow transplant {3..18} mo ago; neutropenic in past; *on prograf and cellcept for transplant; nadir;
            *carboplatin; *folfox; *r chop; *cytarabine; *graft vs host; hickman; tunneled line; transfused last week;
            *induction chemo; wbc 0; mediport; *stem cell; fatigue and chills; thrush
            """,
            severe="""
            rigors after port access; anc zero; redness and pus at port; petechiae; bp {70..84} systolic at infusion center;
            dizzy and weak; pancytopenic; fungal infection in past; mucositis cannot eat; port pus; blasts; septic last cycle;
            bleeding gums; shaking since infusion; systolic {70..80}; candida in blood
            """,
            denied="cough; dysuria; diarrhea; abd pain; sore throat; runny nose; rash; sick contacts",
            conditions="cancer; lymphoma; transplant; hiv", vitals="fever fast low",
        ),
        Picture(
            "skin and line", 0.09, 0.55, (20, 74), "days",
            mild="""
            *bug bite on {arm|leg|buttock}; *small boil; keflex x{1|2} days; *redness around {toe|finger|navel};
            *grown: nicked shaving; *popped pimple; *spider bite maybe; *hair bump; *razor burn; *paronychia;
            *tattoo last week; squeezed it; slightly warm; small amt pus; benadryl cream; tender to touch; wound clean looking
            """,
            usual="""
            *{abscess|cellulitis} {side} {arm|leg|thigh|buttock|hand|forearm|groin|axilla}; redness spreading; warm to touch;
            draining pus; mrsa in past; *skin popping; streaking up arm; swollen and tender; *red {side} lower leg;
            on {bactrim|clinda|keflex} {2|3} days no better; *incision red and draining; *diabetic foot ulcer;
            *young f: breastfeeding with red breast; *carbuncle; *pilonidal; fluctuant; *erysipelas; hot and indurated;
            *hand swollen from fight bite; *cat bite; *picc red; *hidradenitis; lymphangitis; impetigo; staph; weeping;
            *port site; *furuncle; *insulin site
            """,
            severe="""
            blisters and black skin; crepitus; pain out of proportion; *foul smelling wound to bone;
            *dialysis cath red with pus; *m: scrotum swollen and black; *f: labia swollen and black;
            red to {groin|axilla} in hours; *track marks with murmur; *wound dehisced; gas in tissue; dusky skin; bullae;
            *toe gangrene; *hardware showing; *septic hip; *pus from joint; hemorrhagic blisters
            """,
            denied="cough; sob; dysuria; sore throat; vomiting; headache; trauma; chest pain",
            conditions="dm; ivdu; esrd; obesity; pvd; hepc", vitals="fever fast pain",
        ),
        Picture(
            "belly", 0.07, 0.7, (14, 76), "days",
            mild="""
            diarrhea x{3|4}; *kids had stomach bug; *ate {sushi|chicken|potato salad}; cramps come and go; vomited once;
            drinking gatorade; stomach bug; gatorade only; gurgling; *food poisoning; *cruise ship; pepto
            """,
            usual="""
            abd pain; *rlq pain; *ruq pain after {greasy food|eating}; vomiting; n/v/d; *llq pain; diverticulitis in past;
            diarrhea x{5..10} today; tender abdomen; *recent colonoscopy; *gallstones; bloody stools; cannot keep fluids down;
            *young f: foul lochia after delivery; *appendix still in; colicky; cramping; green vomit; *cdiff; loose stools;
            rebound; bloated; mucus stools; *camp water; sulfur burps; *pouchitis; *colitis flare
            """,
            severe="""
            rigid abdomen; guarding; *jaundiced with ruq pain; pain worse with bumps in car; *post op day {4..9};
            *peritoneal dialysis fluid cloudy; *cirrhosis with tense belly; *biliary stent {2..5} months ago with rigors;
            dark green vomit; board like belly; *septic gallbladder; *cholangitis before; feculent drain;
            *anastomosis {5..8} days ago; free air on xray; shock; wound evisceration; *g tube dislodged with peritonitis
            """,
            denied="cough; sob; sore throat; dysuria; headache; rash; neck stiffness; ear pain",
            conditions="gallstones; diverticulitis; cirrhosis; crohns; dm", vitals="fever fast pain",
        ),
        Picture(
            "meningitis and travel", 0.06, 0.9, (8, 56), "days",
            mild="""
            *back from {country}; *tick bite; *camping trip; headache better with motrin; took malaria pills;
            *young: college dorm; mosquito bites; *hiking last week; *returned traveler; sunburn; *lyme endemic;
            tension headache; *dengue area; *cat scratch
            """,
            usual="""
            severe headache; stiff neck; photophobia; neck pain; light hurts eyes; rash on legs; *travel to {country};
            chills every other day; vomiting; joint pain; *bullseye rash; back pain; *adult: shoots heroin and back pain;
            *malaria {as child|last year}; sweats; nuchal rigidity; petechial rash; arthralgias; *freshwater swim;
            *works with goats; *unpasteurized cheese; *lyme in past; *ticks on dog; retro orbital pain; bites all over;
            missed prophylaxis; *roommate meningitis
            """,
            severe="""
            purple spots on legs; confused and combative; seizure; purpura; neck rigid; hard to wake up;
            *dark urine after trip to {nigeria|ghana|kenya|uganda}; *vp shunt; new murmur and splinters; wont bend neck;
            gcs {9..12}; petechiae spreading; jaundice and rigors; *endocarditis last year; epidural abscess;
            blurred vision and ptosis; *shunt malfunction; hypotensive; photophobia and vomiting
            """,
            denied="cough; dysuria; diarrhea; sore throat; sob; ear pain; runny nose; abd pain",
            conditions="ivdu; hiv; migraine; lupus", vitals="fever fast pain",
        ),
    ),
)  # fmt: skip
