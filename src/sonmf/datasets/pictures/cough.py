"""Cough."""

from __future__ import annotations

from sonmf.datasets.pictures.picture import Complaint, Picture

COUGH = Complaint(
    chief="""
    cough; coughing; bad cough; persistent cough; productive cough; dry cough; cough and congestion; cough worse at night;
    nagging cough; coughing fits; cough wont go away; cough and {cold symptoms|uri sx}; deep cough; hacking cough
    """,
    calm="""
    no distress; respirations easy; lungs clear bilateral; speaking full sentences; kid: playful in triage;
    baby: smiling and cooing; child: coloring in lobby; well appearing; skin pink warm dry; resp even and unlabored;
    no retractions; nontoxic; mucous membranes moist; kid: drinking fluids in triage; grown: walked in
    """,
    ill="""
    ill appearing; tachypneic; retractions; accessory muscle use; pale and diaphoretic; placed on {2..4}l nc; lethargic;
    mask applied; labored breathing; dusky around lips; old: frail and thin; grown: unable to finish sentences;
    baby: poor tone; kid: sleepy in arms; rhonchi throughout; cap refill delayed; wet sounding resps
    """,
    pictures=(
        Picture(
            "cold", 0.24, -1.5, (1, 52), "days",
            mild="""
            runny nose; adult: needs work note; child: needs school note; scratchy throat; sneezing; otc meds not helping;
            grown: wants {antibiotic}; grown: took {nyquil|dayquil|mucinex|robitussin|coricidin|tessalon};
            kid: {honey|zarbees|dimetapp} not helping; just wants to get checked; allergies maybe; coworker sick;
            slight tickle; cough drops
            """,
            usual="""
            nasal congestion; stuffy nose; sore throat; grown: sinus pressure; grown: post nasal drip; clear rhinorrhea;
            ear pressure; hoarse voice; grown: sinus headache; kid: crusty nose; kid: boogers per {carer};
            sick contacts at {home|work|school|daycare}; green nasal mucus;
            grown: {delsym|sudafed|claritin|zyrtec|flonase|afrin|neti pot} with no relief; watery eyes; grown: body aches;
            child: headache; snotty; tickle in throat; laryngitis; sinus infection {x2|x3} this year; itchy throat;
            low energy; ears popping; yellow mucus
            """,
            severe="""
            cannot sleep from coughing; grown: ribs sore from coughing; posttussive emesis; lost voice;
            grown: face pain and swelling; kid: up all night; kid: ear infection last month; miserable; cough until gags;
            cough until lightheaded; green mucus x2 weeks; chest sore to touch
            """,
            denied="sob; chest pain; fever; wheezing; n/v; hemoptysis; rash; neck stiffness",
            ill="""
            tired appearing; sniffling; flushed; coughing constantly in triage; tearful; nasal voice; holding tissue box;
            red watery eyes
            """,
            conditions="allergies; asthma; migraine; gerd",
        ),
        Picture(
            "bronchiolitis", 0.12, -0.9, (0, 2), "days",
            mild="""
            taking bottle well; happy and smiling per {carer}; runny nose; sibling with cold; goes to daycare;
            good wet diapers; humidifier helps; cough keeps family up; nose drops and bulb syringe; laughing; sleeping fine;
            low fever yesterday
            """,
            usual="""
            wheezing; rsv going around daycare; not feeding well; noisy breathing; {carer} suctioning nose;
            thick nasal secretions; pulling at ears; fussy; vomits after coughing; {4|5} wet diapers today; tight cough;
            rhonchi; former preemie; belly breathing per {carer}; snuffly; congested; breathing fast per {carer};
            rattly chest; pedialyte only; spit up mucus; older sister sick; retracting a little; half usual bottles;
            clogged nose; whistling breath
            """,
            severe="""
            apnea at home per {carer}; turned blue with cough; ex {26..32} weeker; no wet diaper x{8..12} hrs; head bobbing;
            grunting; nasal flaring; subcostal retractions; too tired to suck; rsv positive at peds office;
            refusing all bottles; sats {84..89}% at peds; color change at home; seesaw breathing; pauses in breathing;
            synagis missed; sunken eyes
            """,
            denied="rash; diarrhea; choking episode; seizure; travel; smoke exposure; ear drainage",
            conditions="premature; reactive airway; heart defect; eczema", vitals="hypoxia fast",
        ),
        Picture(
            "croup", 0.07, -1.4, (0, 5), "hours",
            mild="""
            better after cold air outside; steamy shower helped; barky cough only when crying; hoarse cry;
            had croup last {year|winter}; woke up at 2am barking; vicks rub; humidifier on; sibling had croup;
            slept after steam
            """,
            usual="""
            barky cough; croupy cough; sounds like a seal per {carer}; stridor with crying; woke up from sleep; hoarse;
            low grade fever; runny nose x2 days; noisy breathing at night; decadron last week at {peds|urgent care};
            raspy voice; brassy cough; inspiratory noise; scared at night; seal bark; viral uri first
            """,
            severe="""
            stridor at rest; racemic epi by ems; retractions sternal; drooling; sitting forward; panicked look;
            {2|3}rd er visit this week for croup; two racemic nebs; tugging at neck; blue lips with crying; cannot lie down;
            toxic look
            """,
            denied="foreign body; choking; rash; ear pain; vomiting; diarrhea; cyanosis",
            conditions="premature; allergies; reactive airway", vitals="fast",
        ),
        Picture(
            "asthma", 0.13, -0.5, (3, 46), "days",
            mild="""
            out of {inhaler}; needs neb refill; *worse with {exercise|cold air|pollen}; {inhaler} helps;
            *triggered by {trigger}; tight at night only; spacer lost; action plan yellow zone; *sports asthma;
            child: needs school form; spring allergies
            """,
            usual="""
            wheezing; asthma flare; {inhaler} x{3..6} today; chest tightness; nebs q{3|4}h at home; expiratory wheeze;
            peak flow {200..300}; dry hacking at night; *worse after cold; prednisone burst last {month|week};
            allergies acting up; tight chest and {sob}; cough variant; night cough; tight wheeze; qvar stopped;
            relief only {1|2} hrs; chest rattly; wheezes bilateral; steroid dependent; orapred last month; neb every {2|3} hrs
            """,
            severe="""
            nebs x{4..6} no relief; intubated in past for asthma; cannot walk across room; wheezing audible;
            peak flow {90..130}; sob at rest; retracting; mag by ems; on steroids {all month|x3 weeks}; picu in past;
            chest caving in; cannot speak in sentences; epi given; biphasic wheeze
            """,
            denied="fever; leg swelling; hemoptysis; calf pain; sore throat; chest trauma; night sweats",
            conditions="asthma; eczema; allergies; obesity; gerd", vitals="fast hypoxia",
        ),
        Picture(
            "pneumonia", 0.15, 1.1, (24, 88), "days",
            mild="""
            finishing {antibiotic}; chest cold {1|2} wks; low grade temp at night; cxr done at {clinic|urgent care}; tired;
            here for recheck; mild pain {side} ribs with cough; recheck chest xray; week of {antibiotic}; energy low; husky
            """,
            usual="""
            fever to {101..103}; {green|yellow|rusty|brown} sputum; chills; pleuritic pain;
            {side} sided chest pain with cough; rhonchi {side} base; on {antibiotic} without improvement; decreased appetite;
            sweats; sob with exertion; crackles {side} lower lobe; infiltrate on outpt cxr; fatigue;
            short of breath on stairs; hurts to take deep breath; consolidation; lobar; crackly; sweaty at night;
            shaking chills; thick mucus plugs; malaise; temp spikes; dull {side} base; community acquired;
            old: slipping at {facility}
            """,
            severe="""
            rigors; confused since last night per {family}; sent by {facility}; blood tinged sputum; not eating or drinking;
            sats low at {clinic|facility}; failed {2|3} antibiotics; too weak to stand; bilateral infiltrates;
            dizzy with standing; chest tube in past; septic looking; delirious; {2|3}l needed at clinic; empyema; mottled;
            breathing {36..44}; cannot keep pills down
            """,
            denied="leg swelling; calf pain; travel; rash; sore throat; palpitations; orthopnea",
            conditions="copd; dm; hiv; cancer; dementia; smoker; cva", vitals="fever fast hypoxia",
        ),
        Picture(
            "copd", 0.09, 0.8, (52, 84), "days",
            mild="""
            smokers cough a bit worse; out of {inhaler}; still smoking {1/2|1} ppd; clear sputum as usual;
            weather change bothers breathing; chronic bronchitis each winter; quit {1|2} yrs ago; inhaler technique poor;
            cough syrup
            """,
            usual="""
            copd; wheezing; more sputum than usual; {yellow|grey|tan|green} phlegm; home nebs x{3..6}; home o2 {2..3}l;
            {1..2} ppd smoker x{30..50} yrs; chest tight; pulm gave {prednisone|doxycycline} last week;
            winded walking to mailbox; rattling in chest; emphysema; hacking up mucus; chest congestion; barrel chested;
            trelegy; steroid burst; tight wheezes; inhalers not touching it; pulmonologist out of town
            """,
            severe="""
            o2 up to {4..6}l; sleepy and hard to wake per {family}; breathing treatments all night; lips blue;
            bipap at night not helping; cant lie flat; intubated last {winter|year}; barely moving air; purple lips;
            air hunger; somnolent; co2 narcosis before; tripod; sweating
            """,
            denied="leg swelling; hemoptysis; fever; calf pain; n/v; abd pain; sore throat",
            conditions="copd; smoker; htn; cad; lung cancer; osa", vitals="hypoxia fast",
        ),
        Picture(
            "heart failure", 0.06, 1.5, (58, 92), "weeks",
            mild="""
            cough since starting lisinopril; ankles slightly puffy; ran out of {diuretic}; cough only lying down;
            up {2|3} lbs; salt at holidays; socks tight; water pill changed; clinic weight up
            """,
            usual="""
            leg swelling; orthopnea; sleeping in recliner; weight gain {5..12} lbs; pnd; white frothy sputum;
            crackles at bases; pedal edema; increased {diuretic}; sob with exertion; belly bloated; pacemaker;
            nocturnal cough; gurgly; rales; bnp elevated; valve disease; swollen ankles; lasix doubled; cannot climb stairs
            """,
            severe="""
            pink frothy sputum; edema to {thighs|waist}; gasping at night; +jvd; cannot lie down at all;
            cough and choke when flat; ef {15..25}%; nitro by ems; froth at mouth; air hunger; flash edema; drowning feeling;
            sats 70s with medics
            """,
            denied="fever; chills; sore throat; runny nose; wheezing; sick contacts; hemoptysis",
            conditions="chf; cad; afib; htn; ckd", vitals="hypoxia high",
        ),
        Picture(
            "tuberculosis and blood", 0.05, 1.7, (24, 72), "weeks",
            mild="""
            *ppd positive at {work|clinic}; streak of blood x1; *on {inh|rifampin} since {march|last month};
            *exposed to tb at {shelter|jail|work}; scant pink when brushing; *quantiferon positive; *health dept called;
            nosebleed maybe; *finishing ripe; one pink streak; feels fine otherwise; occupational screen; weight stable
            """,
            usual="""
            hemoptysis; coughing up blood; night sweats; weight loss {10..30} lbs; *from {country}; *stays at shelter;
            *recently in {jail|prison}; blood streaked sputum; cavitary lesion on cxr; tb exposure; coughing x{2..4} months;
            *lung mass on ct; swollen nodes; fungus ball; aspergilloma; apical scarring; afb smear pending; bronchiectasis;
            rust colored; lymph nodes; *refugee; cavity; smear positive; bloody phlegm
            """,
            severe="""
            cup of bright red blood this am; coughing clots; massive hemoptysis; cachectic; hgb low at clinic;
            not taking hiv meds; drenching sweats and wt loss {30..50} lbs; blood {filled sink|soaked towel};
            choking on blood; pale and bleeding; hgb {5..7}; syncope after hemoptysis; bronchial artery bleed before
            """,
            denied="leg swelling; runny nose; sore throat; ear pain; wheezing; n/v; rash",
            conditions="hiv; smoker; lung cancer; ivdu; etoh; cancer", vitals="fever fast", women=0.34,
        ),
        Picture(
            "aspiration", 0.05, 1.5, (62, 94), "days",
            mild="""
            *coughs when eating; on thickened liquids; {facility} wants pt checked after choking; swallow study scheduled;
            *bit of food went down wrong; speech therapy following; puree diet; mild choking; crumbs; soft diet
            """,
            usual="""
            *choked on {dinner|pills|breakfast|meat|tube feeds}; wet gurgly cough; peg tube; *vomited then coughing;
            from {facility}; bedbound; rattling chest; thick secretions; suctioned by staff; contracted; pocketing food;
            trouble swallowing since stroke; aspiration in past; dysphagia; gurgling; g tube leaking; regurgitated;
            *coughing at meals; drooling; nectar thick; mouth full of food; *choked at dinner; spit bibs; foul breath;
            nonverbal baseline
            """,
            severe="""
            *suctioned large amt tube feeding; *found blue by staff; unresponsive to voice; sats {70..82}% at {facility};
            trach with thick yellow secretions; fever and gurgling resps; nrb by ems; cannot clear secretions;
            *food suctioned from airway; *heimlich by staff; copious vomit; mottled; aspiration witnessed; cyanotic
            """,
            denied="chest pain; leg swelling; runny nose; hemoptysis; travel; sore throat; rash",
            conditions="cva; dementia; parkinson; seizure; ms", vitals="fever fast hypoxia",
        ),
        Picture(
            "pertussis and influenza", 0.10, -0.8, (4, 64), "days",
            mild="""
            *adult: kids had flu last week; no flu shot; {tamiflu|theraflu} started; *exposed to whooping cough at school;
            feeling better than yesterday; *whole house sick; child: missed school all week; *flu a contact; slight aches;
            *kid: daycare outbreak
            """,
            usual="""
            flu like symptoms; body aches; fever {100..102}; chills; headache; *flu swab positive at {clinic|urgent care};
            *kid: whoop per {carer}; coughing spells then vomits; sudden onset; hurts all over; fatigue; tamiflu {1|2} days;
            no flu vaccine this year; eyes hurt; *influenza a; *influenza b; chills and sweats; myalgias; sore all over;
            temp {101..103}; whoop; paroxysms; cannot warm up; flushed; dry cough and aches; covid swab neg; ached overnight
            """,
            severe="""
            *young f: pregnant {20..36} weeks; *grown: on chemo; dehydrated; cannot keep fluids down x{2|3} days;
            turned red and stopped breathing with cough; passed out coughing; *flu positive and getting worse;
            too weak to walk; listless; double pneumonia last year; severe myalgias cannot walk; dark urine; kid: blue spells;
            syncope with coughing; confused with fever
            """,
            denied="leg swelling; hemoptysis; rash; urinary sx; neck stiffness; calf pain; weight loss",
            conditions="asthma; dm; allergies; pregnancy; obesity", vitals="fever fast",
        ),
    ),
)  # fmt: skip
