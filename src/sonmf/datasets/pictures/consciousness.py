"""Altered level of consciousness."""

from __future__ import annotations

from sonmf.datasets.pictures.picture import Complaint, Picture

CONSCIOUSNESS = Complaint(
    chief="""
    altered mental status; AMS; confusion; ALOC; altered; change in mental status; decreased loc; unresponsive episode;
    confused; not acting right; lethargic; hard to wake up; not acting right per {family}; mental status change
    """,
    calm="""
    now aox{3|4}; answering questions; gcs 15; at baseline per {family}; follows commands; ambulatory with steady gait;
    speech clear; calm and cooperative; perrl; no distress; skin warm dry; eating crackers; sleepy but arousable
    """,
    ill="""
    gcs {3..9}; responds to pain only; not protecting airway; nasal trumpet by ems; bagged by ems; unresponsive on arrival;
    moaning only; pupils pinpoint; combative and restrained; snoring respirations; eyes closed; skin cool and clammy;
    does not follow commands; mottled; bp {70..86} palp
    """,
    pictures=(
        Picture(
            "infection in the old", 0.19, 1.3, (66, 95), "days",
            mild="""
            *uti last week on {macrobid|cipro|bactrim}; a bit more forgetful; {facility} wants urine checked;
            slept more than usual; *strong urine odor; slight temp; *antibiotics day {2|3}; wandering at night; napping more;
            slept through lunch; dribbling
            """,
            usual="""
            from {facility}; *uti; fever; foul urine; foley; cough; more confused than baseline; not eating; dementia worse;
            picking at air; incontinent; hallucinating; on {antibiotic}; {facility} reports temp {100..103}; *decub ulcer;
            weak and wont get up; sundowning worse; pulling at lines; delirium; pulling off clothes; rattly cough;
            cloudy urine; *sacral sore; agitated at dusk; mumbling; poor intake; temp spike; picking at sheets; chills;
            bedbound; nonambulatory; refusing pills; inattentive; hypoactive; tugging foley; *pneumonia last month;
            drowsy at breakfast; *peg site red
            """,
            severe="""
            septic per ems; bp {72..86} systolic; hot and not responding; sats {78..87}% ra; rigors; gurgling resps;
            no urine output; *feeding tube and aspirating; dnr papers with pt; extremities cold and mottled; agonal;
            lactate {5..8}; unresponsive at breakfast; septic shock before; mottling; moribund; resp {36..44}; rattling;
            feet purple
            """,
            denied="trauma; fall; headache; seizure; chest pain; drug use; new meds",
            conditions="dementia; cva; dm; parkinson; bph; ckd", vitals="fever fast low",
        ),
        Picture(
            "alcohol", 0.17, -1.9, (22, 60), "hours",
            mild="""
            *says {2..6} beers; etoh on breath; wants to sleep; *found sleeping in {place}; seen here often;
            steady after food; asking for food; walking and talking; *friends brought; *at bachelor party; *drinking at game;
            *happy hour drinks; wants detox list; singing
            """,
            usual="""
            intoxicated; etoh; *found down in {place}; slurred speech; {liquor} bottle; smells of alcohol; vomited on self;
            unsteady gait; drinks daily; {6..18} beers; {pint|fifth|handle} of {liquor}; abrasion to forehead;
            *picked up by police; *bar fight; loud and cursing; *birthday party; no fixed address; drunk;
            *passed out in {place}; malt liquor; *on a binge; incoherent; stumbling; beer cans; belligerent; urinated on self;
            open container; blackout; *frat party; ethanol; wobbly; disheveled; dirty clothes; bloody lip; wine box;
            *tailgate; *asleep in car; slurring and giggling; *shelter sent; known to ems
            """,
            severe="""
            unresponsive with vomit in mouth; etoh {400|450|500}; hematoma back of head; shaking from withdrawal;
            tremors and hallucinations; *fell down stairs drunk; *temp {88..93} found in snow; mouthwash and hand sanitizer;
            aspirated; frozen fingers; dts; choking on vomit; *core temp {84..90}; skull bruise; gcs {5..7}; bradypneic
            """,
            denied="drug use; si; hi; headache; chest pain; abd pain; neck pain; assault",
            ill="""
            combative; spitting; restrained by police; soiled clothing; snoring loudly; gcs {9..12}; vomiting on arrival;
            cursing at staff; will not wake fully
            """,
            conditions="etoh; depression; bipolar; cirrhosis; seizure", vitals="fast", women=0.26,
        ),
        Picture(
            "overdose", 0.14, -0.35, (18, 54), "minutes",
            mild="""
            *took extra {benzo} to sleep; *smoked {weed|k2|spice}; *edible brownie; awake after narcan; *took wrong pill box;
            *drowsy from {opioid}; *gummies; *cannabis; *cough syrup; walking around; *doubled ambien; *party pill;
            sleepy but talking; giggly; wants to leave; roommate worried; dry mouth and red eyes; paranoid then calm
            """,
            usual="""
            *overdose; *{drug}; *used {drug}; narcan {0.4|2|4} mg with response; pinpoint pupils; pill bottle empty;
            *{benzo} bottle; *snorted {fentanyl|oxy|percs}; needle at scene; found in bathroom; *agitated on {drug};
            *took {20..40} {tylenol pm|benadryl|seroquel|elavil}; friend found blue; si note found; *methadone; *od;
            *{drug} and {liquor}; foil and lighter; track marks; unresponsive in {place}; shallow breaths; crushed pills;
            nodding off; drug paraphernalia; *polysubstance; snoring; vape cart; suicide note; text to {family}; *relapse;
            out of rehab {2|3} days; *suboxone; sweaty and picking skin; *huffing; *laced pills; revived by bystander narcan
            """,
            severe="""
            apneic; cpr by bystander; narcan x{3..5} no response; intubated by ems;
            *took {60..100} {elavil|metoprolol|verapamil|lithium|tylenol}; wide qrs on monitor; *temp {105|106} on meth;
            found down unknown time; *seizing after {bupropion|tramadol|k2}; rigid and sweating; pulseless then rosc;
            torsades; serotonin; acetaminophen level high; hyperthermic; qrs wide; prolonged downtime; bag mask; anoxic;
            rhabdo; blue and frothy
            """,
            denied="trauma; headache; chest pain; fall; hi; etoh; neck pain; assault",
            conditions="ivdu; depression; bipolar; chronic pain; ptsd; hepc", vitals="slow low hypoxia",
        ),
        Picture(
            "low sugar", 0.11, -0.7, (34, 80), "minutes",
            mild="""
            *skipped {lunch|breakfast|dinner}; juice by {family}; fsbs {60..68} then {110..140}; feels normal now;
            *took insulin forgot to eat; shaky and sweaty earlier; ate peanut butter; dexcom alarm; glucose tabs; *worked out;
            *fasting for labs; snack and better
            """,
            usual="""
            fsbs {24..48} on scene; hypoglycemia; d50 by ems; glucagon im; insulin dependent; diaphoretic; woke up after d50;
            found by {family}; *lantus {20..60} units; *takes glipizide; *takes glyburide; *gave too much humalog;
            *pump malfunction; sugar dropped again; oral glucose; hypoglycemic; shaky; clammy; glucometer low; sugar {30..50};
            orange juice; *on novolog; *on nph; *insulin stacking; amp of d50; combative until dextrose; *missed meal;
            *dialysis and insulin; cgm low; brittle diabetic; sweaty sheets; mumbling then clear; repeat sugar {70..90}
            """,
            severe="""
            fsbs {12..20}; d50 x{2|3} still low; seized with low sugar; *sulfonylurea and renal failure; not waking after d50;
            dextrose drip; vomiting and cannot eat; *took whole insulin pen on purpose; sugar unreadable low; recurrent lows;
            d10 running; hypothermic; *insulin overdose; *liver failure and low; *{glyburide|glipizide} overdose;
            gcs {6..8} despite dextrose
            """,
            denied="fever; trauma; headache; chest pain; etoh; slurred speech; cough; sob",
            conditions="dm; esrd; ckd; htn; hypothyroid", vitals="fast",
        ),
        Picture(
            "liver and kidney", 0.10, 1.6, (42, 76), "days",
            mild="""
            *missed {1|one} dose lactulose; {family} noticed forgetful; *sleepy after dialysis; *ran out of lactulose;
            ammonia checked at clinic; mild hand tremor; lactulose {2|3} bm a day; foggy; *dialysis tomorrow;
            sleepy in clinic; slow answers; constipated
            """,
            usual="""
            *hepatic encephalopathy; *cirrhosis; lactulose; ammonia high; jaundice; asterixis; ascites;
            *missed dialysis x{2..4}; *esrd; flapping hands; yellow eyes; confused since {last night|yesterday};
            swollen belly; *paracentesis last week; xifaxan; *uremic; fistula {side} arm; hep c; reversed days and nights;
            hepatic coma before; *esld; meld {22..35}; tips; varices; icteric; flap; slurred and slow; *bun {90..140};
            *nephro sent; pruritus; *dialysis cut short; myoclonus; distended; not having bms; transplant list;
            sleeping all day; *confused at dialysis; itching
            """,
            severe="""
            vomiting blood; obtunded; ammonia {180..300}; deep jaundice and bleeding gums; *bicarb {6..9} at dialysis;
            not waking to pain; tense ascites with fever; *k {7.1|7.4|7.8}; *agonal breathing at dialysis; comatose; gi bleed;
            sbp before; *hepatorenal; coffee ground emesis; *hyperkalemia; seizing uremic; glucose {30..40} and liver failure;
            hypotensive {70..80}; agonal
            """,
            denied="trauma; headache; fall; cough; dysuria; chest pain; drug use; etoh",
            conditions="cirrhosis; esrd; hepc; dm; gi bleed", vitals="low",
        ),
        Picture(
            "seizure", 0.12, -0.5, (20, 66), "minutes",
            mild="""
            usual seizure; *out of {antiepileptic}; back to baseline; *missed {1|2} doses; *did not sleep;
            {1|one} min seizure at {work|school|store}; bit lip; short seizure; aura; *level low last time; *sleep deprived;
            stressed; staring spell
            """,
            usual="""
            seizure; postictal; tonic clonic; bit tongue; incontinent; witnessed seizure x{1..3} min; on {antiepileptic};
            epilepsy; *noncompliant with meds; shaking all over; eyes rolled back; fell and hit head; versed by ems;
            foaming at mouth; vns implant; confused after; hx of seizures; convulsion; generalized; lip smacking; drooling;
            jerking; post ictal; tongue lac; wet pants; absence; breakthrough; grand mal; vimpat; diastat given;
            pseudoseizures; magnet swiped; clenched jaw; tired and sore; blank stare; witnessed at {place}; amnestic;
            stiff then limp; *neurologist changed dose
            """,
            severe="""
            {3..5} seizures today; status; ativan x{3|4}; actively seizing; {20..40} min seizure; *first seizure ever;
            intubated for seizure in past; shoulder dislocated after seizure; still not awake x{1|2} hrs;
            *brain tumor and seizing; refractory; cluster; propofol before; cyanotic; lorazepam {4|6} mg; aspirated;
            *young f: {30..38} wks pregnant and seizing; *neurocysticercosis; intubated; twitching face nonstop;
            gaze deviation fixed
            """,
            denied="fever; headache; chest pain; drug use; neck stiffness; sob; etoh; si",
            conditions="seizure; etoh; cva; developmental delay; depression", vitals="fast",
        ),
        Picture(
            "head injury and bleed", 0.08, 1.5, (48, 90), "hours",
            mild="""
            *bumped head on {cabinet|car door|shelf}; dazed for a minute; repeating self then better; ct last week ok;
            mild headache since fall; *goose egg; concussion; *soccer header; *bonked; stitches forehead; foggy; ringing ears
            """,
            usual="""
            *fell and hit head; on {thinner}; headache; hematoma {forehead|occiput|scalp}; repeating questions;
            subdural in past; vomiting x{2|3}; bruise around eyes; *fell down {3..12} stairs; lac scalp;
            worse since fall {2..9} days ago; lost consciousness; dizzy and unsteady; *assaulted with {bat|bottle|fists};
            closed head injury; subdural; amnesia to event; raccoon eyes; *bike crash no helmet;
            *struck by {bat|pipe|beam|swing}; contusion; epistaxis; nauseated since fall; slurring since fall;
            sleepy since fall; *cane slipped; slow bleed; pupils uneven; scalp bleeding; *ladder; *syncope then fell;
            *fell off porch; *rolled out of bed; old shunt
            """,
            severe="""
            blown pupil; posturing; *worst headache then collapsed; seized after head strike; bp {210..235}/{110..125};
            battle sign; csf from ear; *found bottom of stairs; cushing vitals per ems; gcs dropped from {13..14} to {6..8};
            epidural; herniation; decorticate; gcs {3..7}; *skull depressed; agonal; bilateral fixed; extensor;
            massive bleed on ct; intubated in field
            """,
            denied="fever; cough; dysuria; chest pain; drug use; sob; rash",
            conditions="afib; htn; etoh; dementia; cva", vitals="high slow pain",
        ),
        Picture(
            "psychiatric and drug effect", 0.09, -0.6, (20, 68), "days",
            mild="""
            *off meds x{3..7} days; not sleeping; *started new {gabapentin|ambien|seroquel|oxycodone};
            group home says odd behavior; stressed; {family} worried; talking to self quietly; anxious; *missed injection;
            pressured; counselor called; insomnia; talking fast; *new med
            """,
            usual="""
            schizophrenia; bipolar; hearing voices; paranoid; talking to self; manic; *not taking {antipsychotic};
            disorganized; wandering in traffic; catatonic; *new {gabapentin|ambien|oxycodone|trazodone};
            sleepy since dose change; bizarre behavior; staring and mute; undressing in public; brought by police; psychosis;
            delusional; responding to internal stimuli; mania; grandiose; religious preoccupation; barricaded; *polypharmacy;
            sedated; hypersexual; tangential; hoarding water; flat; *off {antipsychotic}; *out of {antipsychotic};
            *gabapentin tripled; *oxybutynin and benadryl; *mixing meds; catatonia; odd posturing; internally occupied;
            laughing to self
            """,
            severe="""
            *lithium level {2.6|3.1|3.8}; *rigid on {antipsychotic}; mute and not eating x{5..9} days;
            naked running in street; fighting {4|5} officers; ketamine im by ems; clonus and sweating;
            jumped from {window|bridge}; nms before; serotonin syndrome; waxy; polydipsia sodium {108..115}; self mutilation;
            ate foreign objects; biting; tased x{2|3}; dehydrated and mute; temp {103..105} and rigid
            """,
            denied="rash; trauma; headache; si; etoh; chest pain; sob; fall",
            ill="""
            security at bedside; restrained; screaming; not redirectable; diaphoretic; mute; hitting walls; undressing;
            pacing; guarded and paranoid
            """,
            conditions="schizophrenia; bipolar; ptsd; chronic pain; depression; developmental delay", vitals="fast",
        ),
    ),
)  # fmt: skip
