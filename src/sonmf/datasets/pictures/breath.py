"""Shortness of breath."""

from __future__ import annotations

from sonmf.datasets.pictures.picture import Complaint, Picture

BREATH = Complaint(
    chief="""
    {sob}; increasing {sob}; difficulty breathing; trouble breathing; breathing problems; {sob} with exertion; dyspnea;
    cannot catch breath; worsening {sob}; labored breathing; hard to breathe; DIB; DOE
    """,
    calm="""
    speaking in full sentences; respirations even and unlabored; no distress noted; skin warm and dry; good air movement;
    no accessory muscle use; ambulatory with steady gait; resting comfortably; color good; equal breath sounds;
    no acute distress
    """,
    ill="""
    speaking {1..3} words at a time; accessory muscle use; tripoding; pursed lip breathing; unable to lie flat;
    skin pale and diaphoretic; cyanotic lips; nasal flaring; labored respirations; tachypneic; placed on {2..6}l nc;
    placed on {nonrebreather|NRB}; cpap per ems; restless and anxious; o2 by ems; poor air movement
    """,
    pictures=(
        Picture(
            "heart failure", 0.18, 0.9, (56, 92), "days",
            mild="""
            ankles {a little|slightly} swollen; missed {lasix|water pill} x{2..4} days; ran out of {diuretic};
            up {2..4} lbs this week; ate {salty food|ham|chinese food} yesterday; sleeps on {2|two} pillows as usual;
            feet puffy in evenings; new dose of {diuretic}; cutting back on salt; weighs self daily; shoes feel tight;
            clinic adjusted {diuretic}
            """,
            usual="""
            leg swelling; {pedal|bilateral leg|lower extremity} edema; orthopnea; PND; weight gain {5..15} lbs;
            sleeping in recliner; {3|4|three} pillow orthopnea; wakes up gasping at night; abdomen more swollen;
            crackles at bases; legs tight and weeping; cough with {white|clear} sputum at night;
            increased {diuretic} without relief; pacemaker; AICD in place; {ef|ejection fraction} {20..40}%;
            bloated and tight; socks leave marks; gurgling at night; cannot walk to mailbox; lvad;
            valve replacement {2005..2013}; bnp high at clinic; nocturia
            """,
            severe="""
            pink frothy sputum; edema to {thighs|waist|abdomen}; rales to apices; +JVD; flash pulmonary edema;
            cannot lie down at all; {nitro|NTG} given by ems; bipap at home all night; gasping for air; {3|4}+ pitting edema;
            drowning feeling; coughing froth; air hunger; sats in 70s for medics; skin gray; hanging legs off bed
            """,
            denied="fever; wheezing; calf pain; hemoptysis; sore throat; rash; recent travel; trauma",
            conditions="chf; cad; htn; afib; ckd; dm", vitals="hypoxia high",
        ),
        Picture(
            "copd", 0.17, 0.55, (52, 84), "days",
            mild="""
            using {inhaler} a bit more than usual; out of {inhaler}; needs refill of {inhaler}; usual smokers cough;
            {inhaler} with some relief; smokes {1/2|half} ppd; bad since {weather|pollen} changed; trying to quit smoking;
            pulm rehab twice a week; spacer broken; chronic am cough
            """,
            usual="""
            copd {flare|exacerbation}; wheezing; productive cough with {yellow|green|tan|grey} {sputum|phlegm};
            {inhaler} x{3..8} today with no relief; home nebs not helping; {1..3} ppd smoker; on home o2 {2..4}l;
            barrel chest; chest tightness; finished {prednisone|steroid} taper last week; recently on {antibiotic};
            sputum changed color; wheezes {throughout|bilateral}; DOE walking to bathroom; emphysema; cant finish chores;
            rattling; chest congestion; trilogy vent at night; {prednisone|medrol} {20|40|60}; quit {5..15} yrs ago;
            rescue every hour
            """,
            severe="""
            home o2 turned up to {5..6}l; exhausted from breathing; tight with little air movement;
            wheezing too tight to hear; confused per {family} since this morning; intubated for same last year;
            nebs x{3..4} by ems with no change; solumedrol {125|} by ems; on bipap with ems; retaining co2 in past; somnolent;
            shoulders heaving; lips purple; cannot speak; bagged briefly by medics
            """,
            denied="leg swelling; pedal edema; hemoptysis; calf pain; n/v; abd pain; chest trauma",
            conditions="copd; smoker; osa; htn; lung cancer; gerd", vitals="hypoxia fast",
        ),
        Picture(
            "asthma", 0.15, -0.75, (4, 48), "hours",
            mild="""
            out of {inhaler}; lost {inhaler}; child: needs school note; adult: worse at work; *seasonal allergies acting up;
            *{trigger} exposure; needs refill on {inhaler};
            *tight after {running|exercise|soccer|gym|dancing|mowing lawn|shoveling}; {inhaler} with good relief;
            mild end expiratory wheeze; *tightness with laughing; *spring allergies; peak flow near best; cough variant
            """,
            usual="""
            asthma {attack|flare|flareup}; wheezing since {last night|this morning|yesterday};
            {inhaler} x{2..6} without relief; chest tight; cold symptoms started first; dry cough worse at night;
            peak flow {180..300}; *triggered by {trigger}; prednisone {2|3} wks ago; nebs q{2|3|4}h at home;
            expiratory wheezes; itchy eyes and sneezing; up all night coughing; neb machine broken; wheezy with cold;
            singulair ran out; chest rattles; barely sleeping; steroids {2|3} times this year
            """,
            severe="""
            intubated for asthma {x2|as a child|in past}; silent chest; continuous neb by ems; epi im given by ems;
            can only say {2|3} words; suprasternal retractions; peak flow under {100..140}; {4|5|6} back to back nebs;
            getting tired out; mag and solumedrol by ems; sweaty and cannot lie back; picu stay last year;
            head down and gasping; neck veins bulging; terbutaline by medics
            """,
            denied="leg swelling; chest pain; hemoptysis; calf pain; foreign body; hives; palpitations",
            conditions="asthma; eczema; allergies; anxiety; obesity", vitals="fast hypoxia", women=0.57,
        ),
        Picture(
            "pneumonia", 0.13, 0.6, (30, 88), "days",
            mild="""
            chest cold x{1|2} weeks; low grade temp; cough mostly at night; seen at {urgent care|clinic} given {antibiotic};
            grandkids sick; tired and achy; cxr at {urgent care|clinic} yesterday; zpak finished; husky voice; cough drops;
            slight rattle
            """,
            usual="""
            fever to {101..103}; productive cough with {green|yellow|rusty|brown} sputum; chills; pleuritic pain {side} side;
            coarse on {side}; rhonchi {side} base; not better on {antibiotic}; poor appetite; sweats at night;
            coughing up {thick|green} phlegm; body aches; cxr shows infiltrate; tylenol for fever this am;
            sick contact at {work|church|home}; hurts to breathe in; green plugs; night sweats and chills;
            lower lobe consolidation; feels feverish; splinting; decreased breath sounds {side}
            """,
            severe="""
            rigors; sent by {facility} for low sats; blood streaked sputum; {2|3} rounds of {antibiotic} failed;
            pale and clammy; not eating or drinking x{3|4} days; multilobar on outpt cxr; too weak to stand;
            shaking chills all night; dusky nail beds; sats in 80s at {clinic|facility}; mottled knees; empyema in past;
            septic looking; delirious; rr in 40s
            """,
            denied="leg swelling; calf pain; palpitations; abd pain; orthopnea; travel; wt gain",
            conditions="copd; dm; hiv; cancer; dementia; ckd", vitals="fever fast hypoxia",
        ),
        Picture(
            "pulmonary embolism", 0.07, 0.95, (28, 78), "hours",
            mild="""
            *{side} calf sore since {long flight|car trip}; *young f: on {ocps|birth control|depo|nuvaring};
            sharp pain only with deep breath; concerned for clot; *stopped {thinner} {2|3} months ago;
            mild pleuritic discomfort; *ivc filter; *{2|3} hr car ride; father had clots; leg cramp behind knee
            """,
            usual="""
            pleuritic chest pain; *sudden onset while {sitting|walking|showering|at desk}; {side} calf swelling;
            *{knee|hip|back} surgery {2..5} weeks ago; *recent {flight|long drive}; stabbing pain {side} ribs; palpitations;
            prior {PE|DVT}; *missed doses of {thinner}; *leg in cast x{3..6} weeks; *f: hormone therapy;
            *m: testosterone shots; *unprovoked dvt last {year|spring}; leg warm and tight; dyspneic on stairs;
            catching pain under {side} shoulder blade; *immobile after {fracture|surgery}; factor v leiden;
            *young f: {2..6} weeks postpartum; varicose veins
            """,
            severe="""
            syncope x{1|2}; *collapsed at {home|store|airport|gym}; coughing up blood;
            ct at outside clinic shows bilateral PE; near syncope with standing; lips blue; crushing pressure;
            heart racing and lightheaded; positive ddimer; saddle embolus on ct; rv strain; hypotensive in clinic;
            clutching chest; ashen
            """,
            denied="fever; rash; wheezing; n/v; productive cough; sore throat; abd pain",
            conditions="dvt; cancer; obesity; lupus; smoker", vitals="fast hypoxia low", women=0.58,
        ),
        Picture(
            "panic", 0.12, -1.9, (17, 50), "minutes",
            mild="""
            feels better now; calmed down in triage; *happened before {exam|work|court}; similar episodes in past;
            *out of {benzo}; *drank {3|4} energy drinks; feeling overwhelmed; drove self; breathing into bag helped;
            *exam week; therapist appt {monday|thursday}
            """,
            usual="""
            anxiety; panic attack; tingling {hands|fingers|lips|around mouth}; {hands|fingers} cramping; hyperventilating;
            tearful; under a lot of stress; heart racing; chest tightness; feels like going to die;
            *argument with {boyfriend|husband|boss|mother}; cannot stop crying; not sleeping; lump in throat;
            *stopped taking {antidepressant}; *off anxiety meds; chest fluttering; feeling of doom; shaky; sighing;
            choking sensation; dizzy and tingly; flashbacks; *custody battle; *breakup; *laid off; cant get deep breath;
            nightmares; hot flashes and trembling
            """,
            severe="""
            *passed out briefly per {family}; carpal spasms; screaming on arrival; unable to calm down x{2..4} hrs;
            hysterical; called 911 x{2|3} this week; whole body shaking; chest pressure to {left} arm; curled on floor;
            hands locked; dry heaving; threw phone; sobbing loudly
            """,
            denied="fever; cough; wheezing; leg swelling; SI; HI; calf pain; drug use; hemoptysis; recent travel",
            ill="""
            hyperventilating in triage; sobbing; hands clenched; rocking; diaphoretic; resp {28..40} and shallow;
            clinging to {family}; will not sit still; tearful and shaking
            """,
            conditions="anxiety; depression; ptsd; bipolar; migraine", vitals="fast", women=0.66,
        ),
        Picture(
            "coronary", 0.08, 0.85, (46, 84), "hours",
            mild="""
            pressure gone now; indigestion type feeling; stress test {last week|scheduled|2 yrs ago};
            *pulled something lifting maybe; {nitro|NTG} x1 with relief at home; burping helps some; antacid helped;
            sore chest wall; *worked in yard; cath clean last year
            """,
            usual="""
            chest pressure; {chest heaviness|substernal pressure|squeezing}; radiates to {left arm|jaw|back|neck};
            {2..5} stents; CABG {2002..2014}; diaphoretic at onset; nausea; *worse going up stairs; took asa {81|325};
            {NTG|nitro} x{2|3} with little relief; ekg at {pcp|clinic} abnormal; *exertional x{1|2} weeks;
            cath {last year|2 yrs ago}; elephant on chest; sweating through shirt; angina; troponin drawn at clinic;
            arm heaviness; jaw tight; ntg spray; indigestion not relieved by tums; belching; bypass x{3|4}; cold sweat
            """,
            severe="""
            ekg by ems with st elevation; vomiting and gray; pressure {9|10}/10; st changes on ekg; cool and clammy;
            *near syncope in {driveway|shower|garden}; pressure like prior MI; {ntg drip|nitro drip} started by medics;
            runs of vtach on monitor; stemi alert; lbbb new; cardiogenic looking; defibrillated x1 by ems; arm numb and ashen;
            heart block
            """,
            denied="fever; cough; calf pain; wheezing; trauma; hemoptysis; rash; sore throat",
            conditions="cad; htn; dm; hld; smoker; pvd", vitals="high pain", women=0.42,
        ),
        Picture(
            "anaemia and fluid", 0.10, 1.1, (40, 84), "weeks",
            mild="""
            *routine labs low per {pcp|clinic|heme}; *iron pills upset stomach; *told {hgb|hemoglobin} is {8|9};
            *missed {1|one} dialysis; *adult f: heavy periods; *next dialysis is tomorrow; *ferritin low;
            *dry weight up {1|2} kg; fatigue with housework; *tired after chemo; mild doe; sleeps ok; walking dog still;
            a little puffy; color ok per {family}; clinic wants repeat labs; more tired on stairs
            """,
            usual="""
            *{hgb|hemoglobin} {5..7} on outpt labs; dark tarry stools; *missed dialysis x{2|3}; winded walking across room;
            pale; abdomen distended; *belly fluid tapped every {2|3} weeks; on {thinner}; *fistula {side} arm;
            black stool x{3..7} days; dizzy standing up; *ascites; needs blood; *getting chemo;
            pleural effusion drained last month; *transfusion dependent; spleen big; bruising easily; *anuric;
            thoracentesis {2|3} wks ago; catheter {side} chest; *hepatology called; gums bleed; melena; periorbital puffiness;
            *{3..6} kg over dry weight; mds
            """,
            severe="""
            *missed dialysis all week; *vomiting dark blood; *{hgb|hemoglobin} {3|4} per clinic call;
            potassium high per lab call; *jaundiced; *tense ascites; bright red blood per rectum; white as a sheet;
            passed out in bathroom; *hypotensive at dialysis; hematemesis; fluid to chin on cxr; ekg with peaked t;
            chest full of fluid
            """,
            denied="wheezing; cough; calf pain; fever; hemoptysis; sore throat; chills",
            conditions="esrd; cirrhosis; cancer; gi bleed; hepc; sickle", vitals="fast low",
        ),
    ),
)  # fmt: skip
