"""Stroke."""

from __future__ import annotations

from sonmf.datasets.pictures.picture import Complaint, Picture

STROKE = Complaint(
    chief="""
    possible stroke; stroke symptoms; r/o cva; code stroke; stroke like symptoms; cva symptoms; rule out stroke;
    neuro changes; poss stroke; brain attack; stroke eval
    """,
    calm="""
    speech clear; no drift; grips equal; no facial droop in triage; aox{3|4}; steady gait; nihss {0|1}; moves all extremities;
    perrl; face symmetric; strength 5/5; cincinnati negative; symptoms gone at triage; sensation equal
    """,
    ill="""
    nihss {9..24}; stroke alert by ems; gaze fixed; facial droop noted; arm drift; taken to ct on arrival;
    not following commands; unable to lift arm; snoring respirations; cincinnati positive x{2|3}; nonverbal; gcs {7..12};
    iv x2 by ems
    """,
    pictures=(
        Picture(
            "left hemisphere", 0.17, 1.5, (54, 88), "hours",
            mild="""
            word finding trouble lasted {5..15} min; {right} hand clumsy; dropped {cup|keys|fork} with {right} hand;
            stutter this am; handwriting messy; mixing up words a little; lost train of thought; thumb numb; texted nonsense;
            stumbled on words; pen slipped; handwriting shaky; lip tingled {right}
            """,
            usual="""
            aphasia; {right} sided weakness; {right} facial droop; garbled speech; {right} arm weak; cannot find words;
            {right} leg dragging; {right} arm drift; word salad; last known well {0600|0645|0730|0800|0915};
            woke up with symptoms; trouble speaking; drooling {right} side; slurring words; expressive aphasia;
            receptive aphasia; jargon; {right} hemiparesis; {right} hand numb; cannot name objects; perseverating;
            {right} grip weak; texting gibberish; {right} foot drop; nods yes to everything; jumbled
            """,
            severe="""
            mute; {right} side flaccid; global aphasia; eyes deviated to {left}; found down by {family};
            not following any commands; dense {right} hemiplegia; tpa candidate per ems; incontinent and nonverbal;
            {left} gaze preference; {right} arm {0/5|1/5}; lvo per ems; thrombectomy candidate; silent and staring;
            {right} plegic; vomited and slumped
            """,
            denied="headache; seizure; fever; chest pain; trauma; vertigo; neck pain; drug use",
            chief="""
            {right} sided weakness; slurred speech; trouble speaking; {right} facial droop; cant get words out;
            {right} arm weakness
            """,
            conditions="afib; htn; cva; dm; cad; hld", vitals="high",
        ),
        Picture(
            "right hemisphere", 0.15, 1.35, (54, 88), "hours",
            mild="""
            {left} hand numb {10..30} min; {left} face felt funny; bumped into door on {left}; {left} foot scuffing;
            {left} arm felt heavy this am; {left} lip tingling; {left} fingers clumsy; bumped {left} shoulder;
            dropped fork {left} hand; {left} toes numb
            """,
            usual="""
            {left} sided weakness; {left} facial droop; {left} arm weak; {left} leg weak; neglect; not aware of {left} side;
            {left} arm drift; slurred speech; leaning to {left}; {left} hand grip weak; lkw {0700|0730|0815|0900|0930};
            drifts to {left}; m: shaved half of face; tripping on {left} foot; {left} hemiparesis; {left} pronator drift;
            drool {left} side; {left} leg gave out; dressing only {right} side; {left} visual cut; face flat {left};
            dysarthria; cannot button shirt; {left} ptosis; veering {left}; lost driving
            """,
            severe="""
            {left} side flaccid; gaze to {right}; dense {left} hemiplegia; ignoring {left} side entirely;
            found on floor by {family}; sleepy and {left} side not moving; vomiting and drowsy; {left} arm {0/5|1/5};
            {right} gaze preference; {left} plegic; dense neglect; lvo per ems; malignant edema before; somnolent;
            slumped over table; snoring at breakfast
            """,
            denied="headache; seizure; fever; chest pain; trauma; aphasia; neck pain; vertigo",
            chief="""
            {left} sided weakness; {left} facial droop; {left} arm weakness; slurred speech; {left} sided numbness;
            {left} leg weakness
            """,
            conditions="afib; htn; cva; dm; cad; smoker", vitals="high",
        ),
        Picture(
            "tia", 0.14, 0.0, (48, 84), "minutes",
            mild="""
            all symptoms gone; *lasted {2..5} minutes; back to normal; pcp said come in; wants to be checked;
            happened {yesterday|last week} too; feels fine now; normal now; brief blip; *lasted seconds; primary sent;
            *felt odd; *tingle in fingertips
            """,
            usual="""
            *resolved after {10..45} min; tia last {year|month}; *numbness {side} face now gone; *transient slurred speech;
            *{side} arm tingling resolved; *vision loss {side} eye like curtain; on {asa|plavix}; *brief confusion;
            carotid stenosis; episode witnessed by {family}; symptoms come and go; *amaurosis; endarterectomy {2008..2013};
            *went numb then fine; speech back to normal; *drooped for {5..10} minutes; *lost words briefly; *hand went dead;
            carotid ultrasound due; *dropped coffee; *shade over eye; holter pending; resolved pta
            """,
            severe="""
            *{3..5} episodes today; stuttering symptoms; came back worse in car; carotid {80..90}% blocked per vascular;
            afib off {thinner}; *stopped {thinner} for {colonoscopy|dental work|surgery}; recurrent today;
            fluctuating deficit; worse standing up; subtherapeutic inr; basilar stenosis; *stopped clopidogrel;
            deficit returned in lobby; new afib on monitor
            """,
            denied="headache; loc; seizure; chest pain; fever; n/v; trauma; neck stiffness",
            chief="""
            poss tia; tia symptoms; transient {side} arm numbness; episode of slurred speech; transient {side} sided weakness
            """,
            conditions="htn; hld; cva; dm; afib; smoker", vitals="high",
        ),
        Picture(
            "haemorrhage", 0.08, 2.6, (42, 84), "minutes",
            mild="""
            bad headache now better; bp high at {home|pharmacy|dentist}; *out of bp meds;
            *forgot {lisinopril|clonidine} x{3..7} days; headache behind eyes; pressure headache; stress headache;
            *skipped norvasc; nosebleed; bp cuff alarm; neck ache
            """,
            usual="""
            worst headache of life; thunderclap headache; vomiting; bp {210..240}/{110..130} per ems; neck stiffness;
            sudden headache then collapsed; photophobia; on {coumadin|eliquis|xarelto}; *fell and hit head {2..5} days ago;
            *cocaine last night; *known aneurysm; projectile vomiting; exploded in head; *ruptured aneurysm family hx;
            sudden pop in head; sentinel headache; *coiled aneurysm; *arteriovenous malformation; systolic {220..250};
            *fell off ladder; subdural before; *headache during sex; *during weight lifting; dialysis and bp; *used meth;
            nuchal pain; droopy lid
            """,
            severe="""
            unresponsive; blown pupil {side}; posturing; agonal respirations; intubated by ems; bagged by ems; gcs {3..6};
            seized en route; *collapsed in {shower|gym|kitchen} after headache; fixed dilated; decerebrate; cushing;
            herniating; apneic; king airway; rhythmic jerking; gcs {4..7}; *found slumped at wheel; vomit in airway;
            mannitol by flight
            """,
            denied="fever; chest pain; sob; rash; leg swelling; dysuria; abd pain",
            chief="""
            sudden severe headache; headache and collapse; possible bleed; headache and vomiting; head bleed
            """,
            conditions="htn; afib; etoh; cocaine; esrd", vitals="high pain slow",
        ),
        Picture(
            "posterior", 0.11, 0.55, (44, 82), "hours",
            mild="""
            room spins when turning head; worse rolling over in bed; ears ringing; *had vertigo before; meclizine helps;
            mild unsteadiness; *bppv before; *motion sick; full ears; tilting when standing; epley helped; sinus congestion
            """,
            usual="""
            vertigo; dizziness; room spinning; ataxia; unsteady gait; double vision; nausea; vomiting; falling to {side};
            nystagmus; trouble swallowing; cant walk straight; walking like drunk; blurred vision; hoarse voice;
            *neck pain after {chiropractor|car accident}; dysphagia; veering; staggering; retching; imbalance;
            facial tingling; spinning; hold onto walls; wide based gait; *vertebral dissection; tinnitus; lightheaded;
            seasick feeling; *yoga neck twist
            """,
            severe="""
            cannot sit up; choking on saliva; eyes not moving together; crossed numbness face and body; hiccups and ataxia;
            drowsy and vomiting; quadriparesis; lost vision both eyes; *basilar occlusion; locked in; gaze palsy;
            coma after vertigo; cannot hold head up; aspirating; all limbs weak; cortical blindness; pinpoint and posturing
            """,
            denied="arm weakness; facial droop; fever; chest pain; ear pain; loc; aphasia; seizure",
            chief="""
            dizziness; vertigo and vomiting; off balance; double vision; sudden dizziness; unsteady gait
            """,
            conditions="htn; dm; vertigo; smoker; hld", vitals="high",
        ),
        Picture(
            "seizure and todd", 0.08, 0.25, (24, 74), "hours",
            mild="""
            usual aura; *out of {antiepileptic}; back to baseline; *missed {1|2} doses {antiepileptic}; sleepy after;
            short aura; deja vu; level due; slept poorly; *forgot meds on trip; breakthrough
            """,
            usual="""
            seizure then {side} arm weak; postictal; tonic clonic x{1..3} min; bit tongue; incontinent of urine;
            *keppra level low; {side} arm jerking; staring spell; *brain tumor; hx of todds paralysis; confused after;
            shaking {side} side; versed {2|4} by ems; focal motor; eyelid fluttering; lip smacking; jacksonian; *craniotomy;
            *glioblastoma; *meningioma; post ictal confusion; sore muscles; gaze to {side}; drooling; vimpat;
            urinated on self; witnessed by {family}; stiffened; rhythmic jerking {side} hand; amnesia; *old stroke scar
            """,
            severe="""
            {2|3} seizures without waking; ativan x{2|3} by ems; status en route; *new seizure and brain mets;
            still twitching {side} face; not waking up after {45..90} min; status epilepticus; intubated for seizure;
            lorazepam {4|6} mg; seized x{20..45} min; cluster today; gcs {8..10}; *bleeding tumor on ct
            """,
            denied="headache; fever; chest pain; neck stiffness; trauma; vision loss; sob",
            chief="""
            seizure with {side} sided weakness; {side} arm weakness after seizure; seizure; twitching {side} arm
            """,
            conditions="seizure; cva; etoh; cancer; depression", vitals="fast",
        ),
        Picture(
            "migraine and bells", 0.14, -2.1, (20, 52), "hours",
            mild="""
            *usual migraine; {excedrin|imitrex|motrin} helps some; *dentist visit yesterday numb lip; *slept on arm;
            *ear ache first; tingling gone; aura then headache; *wine and cheese; *lack of sleep; *f: menstrual migraine;
            *screen time; *tmj; sinus pressure; jaw clicks
            """,
            usual="""
            *migraine; *headache {side} side; zigzag lights; photophobia; numb lips and fingers; *cannot close {side} eye;
            *forehead droop too; *taste changed; tearing {side} eye; *face drooping since {yesterday|this morning};
            *bells palsy in past; pain behind ear; nausea; imitrex no relief; cannot wrinkle forehead; scintillating scotoma;
            throbbing; phonophobia; *cluster; blind spot; lip numb; *eyelid wont shut; *smile crooked; topamax;
            toradol shot helped last time; botox; fioricet; tongue feels thick; drooling when drinking; *eyebrow wont raise;
            sparkles; pounding; ear blisters; steroids and valtrex; nauseous and lights hurt
            """,
            severe="""
            *worst migraine in years; speech slurred with headache; {side} arm weak with migraine; vomiting x{5..9};
            *vesicles in ear; *migraine {4..7} days straight; *face both sides weak; *status migrainosus;
            *hemiplegic migraine; aura over {2|3} hrs; cannot see out of one eye; *blisters in ear canal; eye ulcer;
            vertigo with facial palsy
            """,
            denied="fever; neck stiffness; loc; trauma; leg weakness; chest pain; seizure; sob",
            chief="""
            headache and numbness; {side} facial numbness; {side} face drooping; headache with tingling; facial weakness
            """,
            ill="""
            holding head; lights off; vomiting in triage; tearful; sunglasses on; eye taped shut; moaning; pacing
            """,
            conditions="migraine; anxiety; depression; allergies", vitals="pain", women=0.7,
        ),
        Picture(
            "anxiety and mimics", 0.13, -1.5, (22, 64), "hours",
            mild="""
            *stress at work; *carpal tunnel; tingling when anxious; *ate now feels better; *fsbs {58..64} then juice;
            *pinched nerve in neck; worried because {mother|father|uncle|coworker} had stroke; *cervical strain; *foot asleep;
            *ulnar nerve; stressed; *caffeine; hungry; new glasses
            """,
            usual="""
            numb all over; tingling both hands; *hyperventilating; anxious; panic; *fsbs {42..56} on scene;
            d50 by ems and improved; *neuropathy; *arm numb after sleeping; *argument with {family}; effort poor on exam;
            symptoms change sides; neck and arm pain; *{etoh|drinking} today; lip tingling; paresthesias; stocking glove;
            hand cramping; globus; lightheaded; *sciatica; *cervical radiculopathy; *multiple sclerosis flare; *b12 low;
            *glucometer {40..55}; *drank since noon; *overslept on couch; chest flutter; shaking arm; whole face numb;
            pins and needles; *marijuana edible; *dental block
            """,
            severe="""
            *fsbs {22..34} unresponsive then awake with d50; shaking and not talking; whole body paralyzed then moving;
            *intoxicated and slurring; *sugar {480..600} and weak; *sepsis with old stroke deficits worse;
            *hypoglycemic and combative; *dka; nonresponsive then sat up; paralyzed legs that come and go; *bac {300|350};
            *hypotensive and septic; *uremic
            """,
            denied="headache; facial droop; fever; loc; trauma; vision loss; chest pain; seizure",
            chief="""
            tingling; numbness; numbness both hands; dizzy and numb; feels numb; shaky and weak
            """,
            ill="""
            hyperventilating; diaphoretic; trembling; not cooperating with exam; anxious and pacing; tearful;
            confused then clear
            """,
            conditions="anxiety; dm; depression; etoh; ms; neuropathy", vitals="fast", women=0.6,
        ),
    ),
)  # fmt: skip
