"""General weakness."""

from __future__ import annotations

from sonmf.datasets.pictures.picture import Complaint, Picture

WEAKNESS = Complaint(
    chief="""
    generalized weakness; weakness; general weakness; feeling weak; increasing weakness; weak and tired; weak all over;
    fatigue and weakness; too weak to get up; weakness and dizziness; no energy; not feeling well; decline in function;
    worsening weakness
    """,
    calm="""
    alert and oriented x{3|4}; ambulatory with steady gait; skin warm and dry; no distress; moves all extremities;
    speech clear; grips equal; no facial droop; walks with cane at baseline; resp unlabored; color good;
    smiling and talkative; sitting up in chair
    """,
    ill="""
    pale; unable to stand in triage; {2|two} person assist to bed; frail and cachectic; dry mucous membranes; skin tenting;
    diaphoretic; lethargic; slumped in wheelchair; slow to answer; low bp for ems; {500|250} cc ns by ems; cool extremities;
    jaundiced; barely lifts head; bradycardic on monitor; orthostatic
    """,
    pictures=(
        Picture(
            "dehydration", 0.15, -0.45, (20, 82), "days",
            mild="""
            *working outside in heat; *had stomach bug last week; not drinking much water; cramps in legs; drank gatorade;
            *adult: hungover; skipped meals; feels better after {po fluids|ns}; *mowed lawn in heat; *ran half marathon;
            soup today; sunburned; *roofing in heat; gi bug in house
            """,
            usual="""
            n/v/d x{2..4} days; vomiting; diarrhea x{4..9} today; decreased po intake; lightheaded standing up; dry mouth;
            poor appetite; cannot keep fluids down; dizzy; dark urine; leg cramps; zofran not helping; abd cramping;
            *heat exhaustion; emesis; nauseated; cotton mouth; wobbly; orthostatic at clinic; loose stools; lomotil;
            *food poisoning; cramping calves; *bowel prep; chugging water; queasy
            """,
            severe="""
            no urine since yesterday; near syncope x{2|3}; passed out in bathroom; {10..20} watery stools;
            *colostomy output high; eyes sunken; bp {70..86} systolic at {clinic|home}; nothing to eat x{5..7} days;
            cannot stand without fainting; *ostomy pouring; parched; cramps all over; kidney labs up; mottled knees;
            *heat stroke at job site
            """,
            denied="chest pain; sob; fever; headache; slurred speech; melena; dysuria; focal weakness",
            conditions="dm; htn; crohns; depression; gerd", vitals="fast low",
        ),
        Picture(
            "infection", 0.16, 1.0, (60, 94), "days",
            mild="""
            *urine smells strong; *finishing {antibiotic} for uti; *slight cough; low grade temp;
            {facility} sent ua yesterday; more tired than usual; cranberry pills; drowsy; off food; dribbling;
            home nurse dipped urine
            """,
            usual="""
            fever; *uti; foul smelling urine; cough; chills; not eating; more confused than baseline per {family}; foley;
            incontinent; from {facility}; *sacral wound; on {antibiotic} since {monday|friday}; burning with urination;
            wbc elevated at {facility}; sweats; needs help to get up; urinary frequency; rattly chest; temp {100..103};
            delirium; odor; crusty eyes; rigid with cold; *cellulitis leg; sputum; *pneumonia last month; poor intake;
            weak cough; *infected sore; *cdiff; catheter clogged
            """,
            severe="""
            rigors; bp {70..88} systolic per ems; lactate high at outside clinic; septic in past;
            *stage 4 decub foul drainage; not responding as usual; mottled legs; hot to touch and shaking; no urine in foley;
            ashen; lactate {4..7}; septic shock before; cold hands; unarousable at breakfast; tachy {120..140}; purple knees;
            pressors before
            """,
            denied="chest pain; melena; headache; slurred speech; trauma; palpitations; leg swelling",
            conditions="dementia; cva; dm; bph; parkinson; ckd", vitals="fever fast low",
        ),
        Picture(
            "anaemia and bleeding", 0.11, 1.15, (44, 86), "weeks",
            mild="""
            *adult f: heavy periods; hgb {8|9} at {pcp|clinic}; iron infusion scheduled; scant blood on tissue;
            takes iron so stool dark; needs labs rechecked; *hemorrhoids; *donates blood; *vegetarian; iron deficient;
            recheck cbc; *nosebleed
            """,
            usual="""
            black tarry stools; melena x{3..7} days; pale; hgb {5..7} per pcp; winded with stairs; blood in stool;
            *on {thinner}; *ibuprofen daily for {back|knees}; dizzy on standing; *hx of ulcer;
            *adult f: fibroids bleeding {2|3} weeks; needs transfusion; craving ice; *colon cancer; *inr {5..9}; maroon stool;
            coffee colored; heme positive; ferritin 4; *goodys powder; *peptic ulcer; fatigue walking; exertional dyspnea;
            pallor; *av malformations; *nsaids; watery black bm; tired legs; hematochezia; transfused {2|3} times
            """,
            severe="""
            vomited blood; bright red blood per rectum with clots; syncope on toilet; hgb {3|4} called by lab;
            coffee ground emesis; *adult f: soaked {8..12} pads today; heart racing and white;
            *varices banded {last month|2x}; *exsanguinating nosebleed; maroon clots; fainted on commode;
            tachy and ghost white; hematemesis bowl full; *inr {10..14} and bleeding
            """,
            denied="fever; cough; headache; dysuria; slurred speech; rash; focal weakness; sore throat",
            conditions="gi bleed; cirrhosis; cancer; afib; ckd; sickle", vitals="fast low",
        ),
        Picture(
            "electrolytes and kidney", 0.13, 1.05, (46, 88), "days",
            mild="""
            labs drawn at {clinic|pcp} yesterday; *missed {1|one} dialysis; *new {water pill|bp med}; muscle cramps; thirsty;
            *told potassium a little {low|high}; on potassium pills; low salt diet; twitchy; diet soda; urinating a lot;
            *keto diet
            """,
            usual="""
            *missed dialysis x{2|3}; abnormal labs per pcp; *potassium {6.2|6.5|6.8}; *sodium {112..124}; creatinine {4..9};
            legs feel like rubber; *hctz started; nausea; fistula {side} arm; swollen legs; *fsbs {350..580}; polyuria;
            polydipsia; *out of insulin x{4..9} days; blurry vision; fruity breath; weight loss; *hyperglycemia; *dka before;
            *hyperkalemia; *hyponatremia; bun high; nephrologist called; metallic taste; itching; fluid overload;
            tea and toast diet; peeing every hour; foamy urine; cramping hands; *insulin pump; cath {side} chest;
            catheter clotted; *hypokalemia; *steroids stopped
            """,
            severe="""
            *fsbs reads hi; hr {30..42} on monitor; *peaked t waves; *sodium {104..109} per lab call; uremic;
            twitching and confused; kussmaul breathing; *potassium {7.2|7.6|8} per lab; *missed dialysis {2|3} weeks;
            *sine wave ekg; *seized from sodium; acidotic; bradycardic and gray; calcium gluconate by medics;
            breath like acetone; *k over 8
            """,
            denied="fever; cough; melena; headache; slurred speech; trauma; dysuria; rash",
            conditions="esrd; ckd; dm; chf; htn", vitals="slow low",
        ),
        Picture(
            "cardiac", 0.11, 1.2, (54, 90), "days",
            mild="""
            new metoprolol dose; skipped beats; pacer check due; *hr low 50s at home; *watch said afib;
            pressure in chest last week; *apple watch alert; *holter on; *monitor patch; tired on beta blocker; *fluttering
            """,
            usual="""
            palpitations; chest pressure; *afib with rvr; sob with exertion; leg swelling; dizzy spells; *hr {38..48} at pcp;
            pacemaker {2004..2014}; near syncope; ekg changes at {pcp|clinic}; diaphoretic spells;
            {metoprolol|digoxin|diltiazem|amiodarone|sotalol} increased; jaw ache; stents x{2|3}; exertional fatigue;
            presyncope; exertional dyspnea; *bradycardia; *sick sinus; *angina; irregular pulse; *flutter;
            *cardioverted last {month|spring}; *ablation; valve murmur; swelling ankles; skipping beats;
            ejection fraction {20..35}; *battery low on pacer; nitro patch; ashen spells
            """,
            severe="""
            syncope without warning; *aicd fired x{1..4}; *hr {26..36} paced by ems; *complete heart block per ems;
            *vtach on monitor; *st elevation inferior; gray and clammy; *heart rate {160..190}; *atropine by ems;
            *asystole pause; *shocked x{2..5}; *transcutaneous pacing; *torsades; *stemi on field ekg; *heart rate 30s;
            pulseless briefly; *wide complex rhythm; cool and mottled; syncope in chair; unable to lift head;
            crushing chest pressure; vomiting and sweaty; lips gray
            """,
            denied="fever; melena; cough; dysuria; slurred speech; rash; diarrhea; headache",
            conditions="cad; afib; chf; htn; dm; hld", vitals="slow low",
        ),
        Picture(
            "frailty and falls", 0.13, 0.7, (72, 96), "weeks",
            mild="""
            uses walker; {family} wants placement; home health nurse visits; *slid off couch; lives alone and not managing;
            pt/ot at home; poor balance; needs more help at home; meals on wheels; rollator; life alert; *rug slip; cane;
            grab bars
            """,
            usual="""
            unable to walk; *{2..4} falls this week; legs giving out; failure to thrive; poor po intake;
            weight loss {10..25} lbs; *found on floor by {family}; not getting out of bed; weak legs;
            {family} cannot care for pt; needs assist with adls; knees buckle; incontinent; lives alone; deconditioned;
            shuffling; weak knees; *multiple falls; skin tears; crawling; wobbly; cannot get off toilet; sliding out of chair;
            forgetting meals; soiled; unkempt; aides quit; pressure sores; *lift assist by fire {2|3} times; cachexia
            """,
            severe="""
            *on floor x{12..48} hrs; *found down by neighbor; covered in {urine|stool}; bruises head to hip;
            not eaten in {4..8} days; rhabdo in past; hip pain and cannot bear weight; bedbound x{1..3} wks;
            *welfare check by police; *wedged between bed and wall; hypothermic; maggots; skin stuck to floor; bones showing;
            *hoarder house; unable to swallow; dehydrated and filthy; ribs bruised
            """,
            denied="chest pain; sob; fever; headache; loc; dysuria; n/v; abd pain; syncope",
            conditions="dementia; parkinson; osteoporosis; arthritis; htn; cva", vitals="",
        ),
        Picture(
            "cancer", 0.08, 1.35, (46, 84), "weeks",
            mild="""
            *tired after chemo {2|3} days ago; *radiation daily; wants fluids; taste is off; boost shakes; on megace;
            *radiated fatigue; ensure; infusion chair nausea; scalp tender; port flush due
            """,
            usual="""
            *{lung|pancreatic|colon|liver|bladder|gastric} cancer; *f: {breast|ovarian|uterine} cancer; *m: prostate cancer;
            metastatic; chemo last {week|monday}; no appetite; mets to {bone|brain|liver|spine}; pain not controlled;
            {opioid}; constipated x{5..9} days; nausea; palliative consult; weight loss {20..40} lbs; port {side} chest;
            mouth sores; back pain; anorexia; cachectic; palliative; *immunotherapy; *keytruda; *folfirinox; *taxol; *gemzar;
            ascites tapped; thrush; ileostomy; decadron; neuropathy feet; brain radiation; bony pain; effusion; poor intake
            """,
            severe="""
            legs weak and numb; cannot urinate; calcium high per onc; jaundice worsening; confused on opioids;
            febrile on chemo; cord compression concern per onc; bedbound; too weak to swallow pills; saddle numbness;
            hypercalcemia; tumor bleeding; malignant obstruction; legs paralyzed since am; neutropenic; hypoxic;
            stridor from mass
            """,
            denied="cough; dysuria; headache; slurred speech; melena; trauma; palpitations; rash",
            conditions="cancer; lung cancer; lymphoma; dvt", vitals="fast",
        ),
        Picture(
            "stress and viral", 0.13, -1.9, (18, 54), "days",
            mild="""
            *needs work note; not sleeping; *young: new baby at home; *working double shifts; wants blood work;
            thyroid checked last {month|year}; feels better today; *stress at work; multivitamin; *busy at work; *exam week;
            *vegan; wants thyroid test; slept poorly
            """,
            usual="""
            body aches; fatigue x{1..4} wks; anxious; tearful; depressed; insomnia; *mono last year; tingling all over;
            *{antidepressant} stopped; panicky; runny nose and aches; headache; *young f: pregnant {6..14} wks;
            *fibromyalgia flare; hurts everywhere; chronic fatigue; burned out; achy; malaise; brain fog; jittery;
            *post viral; *covid last month; lightheaded at gym; heart flutters; foggy; irritable; restless legs; grief;
            *mother died; *divorce; achy joints; *mono; energy drinks; *middle f: perimenopausal
            """,
            severe="""
            cannot get out of bed x{3..6} days; crying all day; *young f: hyperemesis; *lost job and apartment; faint at work;
            *flu swab positive; not eating from depression; sobbing; wont eat; *quit job; panic every day;
            collapsed at church; *influenza and aches; sleeping 18 hrs
            """,
            denied="chest pain; sob; fever; melena; si; slurred speech; dysuria; weight loss; palpitations",
            ill="""
            tearful; flat affect; wringing hands; tired appearing; hyperventilating; eyes closed; slow to answer; trembling;
            wants lights off
            """,
            conditions="anxiety; depression; fibromyalgia; hypothyroid; migraine; pregnancy", women=0.68,
        ),
    ),
)  # fmt: skip
