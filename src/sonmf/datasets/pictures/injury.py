"""Lower extremity injury."""

from __future__ import annotations

from sonmf.datasets.pictures.picture import Complaint, Picture

INJURY = Complaint(
    chief="""
    lower extremity injury; {side} leg injury; leg pain after injury; {side} leg pain; {side} lower extremity pain;
    injured {side} leg
    """,
    calm="""
    grown: ambulatory with limp; +cms; +pulses; distal pulses intact; moves toes; cap refill brisk; no deformity; skin intact;
    sensation intact; ice applied; grown: on crutches; neurovascularly intact; grown: walked in without assist;
    able to wiggle toes
    """,
    ill="""
    splinted by ems; unable to bear weight; pale and diaphoretic; foot cool to touch; pulses by doppler only;
    morphine {4|6|10} iv by ems; fentanyl {50|100} mcg by ems; cool toes; holding leg still; moaning in pain
    """,
    pictures=(
        Picture(
            "ankle sprain", 0.24, -2.3, (11, 52), "hours",
            mild="""
            mild swelling; wants xray; needs work note; *misstepped; walking on it; ace wrap helps; {analgesic} with relief;
            *old sprain; *misjudged step; tender; old brace; ibuprofen and ice
            """,
            usual="""
            *rolled {side} ankle; *twisted ankle; *inverted ankle playing {sport}; *stepped off curb; *stepped in hole;
            swelling lateral malleolus; *missed a step; bruising; heard pop; ankle swollen; *landed on someones foot;
            *tripped on {tripped}; pain with walking; ice and elevation; *sprained ankle; *heel slipped; *fell in high heels;
            *slid on gravel; *stepped in pothole; *flip flop caught; *turned it dancing; *slipped hiking; *turned it jogging;
            puffy; ecchymosis; limping; *fell in wedge sandals; *cleat caught in turf; walking boot
            """,
            severe="""
            ankle deformed; foot pointing sideways; skin tented over malleolus; cannot put any weight;
            huge swelling and blisters; ankle dislocated; bone visible at ankle; bimalleolar; trimalleolar; talus out;
            fracture blisters; foot twisted backwards; grinding bones; medial skin white
            """,
            denied="numbness; tingling; knee pain; head injury; loc; hip pain; neck pain; prior fx",
            chief="""
            {side} ankle injury; {side} ankle pain; {side} ankle pain and swelling; hurt {side} ankle
            """,
            conditions="obesity; asthma; allergies", vitals="pain",
        ),
        Picture(
            "knee", 0.17, -1.9, (13, 58), "days",
            mild="""
            *sore after {gym|run|squats}; old acl repair; {analgesic} with relief; wants mri; worse on stairs;
            brace from home; patellar tendon sore; *kneeling at work; kneepads; squeaky; baker cyst; *overuse
            """,
            usual="""
            *twisted {side} knee; knee swollen; knee gave out; heard pop; felt tear; *planted foot and pivoted;
            *struck knee on {dash|table|door|desk}; acl tear in past; cant straighten knee; locks up; *fell skiing; effusion;
            *tackled in {football|rugby|soccer}; *landed wrong in {sport}; kneecap slid out; pain going down stairs;
            *trampoline; *hyperextended; meniscus; mcl; acl; unstable; buckled; *fell wakeboarding; *fell snowboarding;
            *hurt wrestling; *knee into dashboard; bursa; swollen and tight; popping; knee drained before; patella tracking;
            *dirt bike tip over
            """,
            severe="""
            kneecap dislocated; knee dislocated; foot numb after knee injury; knee deformed; cannot extend leg at all;
            *large effusion after {mvc|fall from ladder}; patella split; tibial plateau; quad tendon torn;
            cannot lift leg straight; hemarthrosis; pulses weak in foot; locked at 30 degrees; gross deformity
            """,
            denied="fever; calf pain; head injury; loc; ankle pain; hip pain; back pain; redness",
            chief="""
            {side} knee injury; {side} knee pain; hurt {side} knee; knee pain {side}; {side} knee swelling
            """,
            conditions="obesity; arthritis; gout", vitals="pain",
        ),
        Picture(
            "laceration and foreign body", 0.14, -1.8, (6, 55), "hours",
            mild="""
            *small cut; tetanus utd; *splinter; bleeding stopped; wants stitches checked; *scraped shin; bandaid on; blister;
            *paper thin cut; superficial; steri strips; tetanus {2|3} yrs ago; *coral scrape; *shaving nick
            """,
            usual="""
            *stepped on {sharp}; laceration {side} {foot|shin|knee|calf|thigh|toe}; *cut leg with {blade};
            bleeding controlled; tetanus unknown; puncture wound; *dog bite {side} calf; glass still in foot;
            last tetanus over {5|10} yrs; flap laceration; {2..8} cm lac; through shoe; gash; avulsion; skin flap;
            jagged edges; *barbed wire; *broken window; deep to fat; bled a lot; *caught on ditch pipe; *rototiller;
            *hedge trimmer; *hatchet slipped; *fishhook embedded; *shot with bb gun; *pencil lead; oozing; gravel in wound;
            *saw kicked back; *lawn edger
            """,
            severe="""
            pulsatile bleeding; tendon exposed; bone showing; *foot caught in {mower|auger|tiller}; toes partially amputated;
            cannot lift foot after cut; soaked {3|4} towels; *gsw {side} {thigh|calf|foot}; *stab wound thigh; arterial bleed;
            achilles cut; foot dangling; degloved; *shotgun wound; *nail gun into knee; toe amputated; *boat propeller;
            *bullet hole calf; *leg in wood chipper
            """,
            denied="numbness; fever; weakness; head injury; fall; other injury; loss of sensation",
            chief="""
            {side} leg laceration; cut to {side} {leg|foot}; {side} foot injury; wound {side} {leg|foot}; puncture {side} foot
            """,
            conditions="dm; etoh; smoker; ivdu", vitals="pain", women=0.33,
        ),
        Picture(
            "toe and foot", 0.13, -2.1, (8, 60), "days",
            mild="""
            *stubbed toe; *wearing flip flops; toenail loose; buddy taped at home; sore arch; *tight shoes;
            soaked in epsom salt; *ingrown nail; callus; hangnail; *new boots; *walking barefoot
            """,
            usual="""
            *dropped {heavy} on foot; *kicked {door|wall|couch}; toe bruised; swollen foot;
            *jammed {big|great|little|5th} toe; *foot run over by {car|forklift|cart}; toenail torn off; black and blue;
            pain top of foot; blood under nail; *horse stepped on foot; *heel pain after jump; *stubbed on bedpost;
            metatarsal pain; bunion; instep; nailbed; hematoma under nail; plantar; heel spur; turf toe; *rolled over by cart;
            *suitcase wheel; swollen toes; pinky toe crooked; *ladder rung
            """,
            severe="""
            *crush injury foot; *forklift over foot; *foot crushed by {beam|machine|trailer}; toe hanging;
            foot tense and swollen; toes dusky; open fx great toe; *fell {10..20} ft onto heels; calcaneus; mangled;
            open midfoot; compartment tight; degloved toes; amputated great toe; burst skin; boot full of blood;
            *press machine
            """,
            denied="ankle pain; numbness; knee pain; fever; loc; calf pain; hip pain; back pain",
            chief="""
            {side} foot injury; {side} toe injury; {side} foot pain; injured {side} foot; {side} toe pain
            """,
            conditions="gout; dm; obesity", vitals="pain",
        ),
        Picture(
            "hip fracture", 0.10, 2.9, (68, 95), "hours",
            mild="""
            *fell onto carpet; bruise on hip; can walk with walker; sore groin; wants xray to be safe; *slid from bed;
            *lowered to floor by {family}; *bumped hip on counter; bruised bottom; sore when sitting; tailbone; *gentle fall;
            thigh ache
            """,
            usual="""
            *fell at {home|facility|bathroom|church|kitchen}; {side} hip pain; *tripped over {tripped}; *slipped in bathroom;
            groin pain; *lost balance; unable to get up; leg externally rotated; leg shortened; *mechanical fall;
            *found on floor by {family}; on {thinner}; hip replacement {side}; *fell getting out of bed; from {facility};
            *slipped on {ice|wet floor|leaves|spilled water}; *fell off {stool|curb|bed|toilet}; cannot bear weight;
            lying on side; *missed chair; *walker slipped; *fell reaching; groin tender; pelvis tender; *ground level fall;
            *lost footing; broke hip before; *fell in slippers
            """,
            severe="""
            *on floor all night; shortened and rotated; hip fx on outside xray; femur deformed; hit head on {thinner};
            both hips painful; obvious deformity thigh; cannot move leg at all; prosthesis popped out; periprosthetic;
            thigh ballooned; cold foot; pelvis fracture; femoral neck fx on portable xray; hip dislocated; *down {10..20} hrs;
            screaming with log roll
            """,
            denied="loc; neck pain; chest pain; dizziness; palpitations; syncope; numbness; sob",
            chief="""
            {side} hip pain; {side} hip injury; fall with {side} hip pain; {side} hip pain after fall; hip pain
            """,
            conditions="osteoporosis; dementia; afib; htn; cva; parkinson", vitals="pain", women=0.7,
        ),
        Picture(
            "high energy", 0.08, 1.3, (16, 58), "minutes",
            mild="""
            *low speed mvc; restrained driver; bruised shin on dash; *bumped by car in parking lot;
            *fell off {bike|scooter|skateboard}; *fender bender; *scooter tipped; bruised knees; seatbelt mark;
            *skateboard fall; *bicycle fall
            """,
            usual="""
            *mvc {35..65} mph; *ped vs auto; *{motorcycle|atv|dirt bike} crash; *rollover; airbag deployed; helmeted;
            unrestrained; *thrown from {atv|bike|horse|motorcycle}; *fell {8..14} ft from {ladder|roof|tree|scaffold};
            thigh pain and swelling; *leg pinned under {bike|atv|tractor}; *t boned; road rash; *fell off horse; *rear ended;
            side curtain airbags; *laid bike down; *four wheeler; *snowmobile; *zip line fall; *kicked by horse;
            prolonged extrication; *jet ski collision; *ladder slipped; *scaffolding
            """,
            severe="""
            open tib fib fx; femur fracture; bone through skin; *extricated x{20..45} min; *ejected; pelvis unstable;
            gcs {9..13}; bilateral leg deformity; *fell {20..40} ft; *hit by truck {40..55} mph; trauma alert; leg mangled;
            tourniquet placed; traction splint; open femur; *crushed by {beam|truck|wall|bull}; *burned and broken;
            amputation at scene; hypotensive in field; blood transfusing by flight; pulseless foot; steering wheel bent;
            shattered tibia; massive transfusion called
            """,
            denied="loc; neck pain; chest pain; abd pain; sob; etoh; numbness; back pain",
            chief="""
            {side} lower leg injury; {side} thigh injury; leg injury from mvc; {side} leg deformity; bilateral leg injury
            """,
            conditions="etoh; smoker; depression; asthma", vitals="fast pain low", women=0.28,
        ),
        Picture(
            "infected wound", 0.08, 1.1, (34, 78), "days",
            mild="""
            *scratch a bit red; *bug bite itchy; finishing {keflex|bactrim}; wound check; scab red around edges;
            *ingrown toenail; itchy scab; *mosquito bite; neosporin; *callus picked; *athletes foot; shallow ulcer
            """,
            usual="""
            *old cut now red; redness and swelling {side} lower leg; draining pus; *diabetic foot ulcer; foul smell;
            warm to touch; on {keflex|bactrim|clinda|augmentin} no better; streaking; *stepped on nail {5..9} days ago;
            *blister on heel opened; chills; toe turning black; swollen calf; wound not healing; cellulitis; purulent;
            weeping; ulcer; wound vac; erythema; marked border; osteomyelitis; podiatry sent; *toe amputation site; mrsa;
            blistering; oozing; *venous stasis; lymphedema; tender groin node; necrotic edge; unna boot; *spider bite maybe;
            draining sinus
            """,
            severe="""
            gangrene toes; bone exposed in ulcer; red to knee since this am; black foot and smell; fever and rigors;
            blisters with purple skin; sugar {400..550} with foot wound; wound full of maggots; crepitus; necrotizing; septic;
            wet gangrene; purple and numb; down to tendon; rigors and delirium; red to groin; foot cold and black; bullae
            """,
            denied="chest pain; sob; fall; trauma today; n/v; head injury; back pain",
            chief="""
            {side} leg wound; {side} foot wound; wound infection {side} leg; {side} leg redness and swelling;
            {side} foot ulcer
            """,
            ill="""
            skin hot and flushed; tachycardic; ill appearing; foot cool to touch; pulses by doppler only; foul odor noted;
            shaking chills in triage; pale and diaphoretic
            """,
            conditions="dm; pvd; esrd; obesity; ivdu; cad", vitals="fever fast pain",
        ),
        Picture(
            "child", 0.06, -1.6, (1, 6), "hours",
            mild="""
            wont keep shoe on; *bumped on {slide|swing}; running around in waiting room; small bruise; {carer} not sure how;
            limped then better; bandaid helped; walks when distracted; playing; no swelling; *bumped coffee table
            """,
            usual="""
            limping; wont bear weight; *fell off {perch}; *jumped from {swing|bed|couch}; cries when leg moved;
            *trampoline with older kids; *foot caught in bike spokes; *twisted leg on slide; {carer} heard crack;
            refuses to walk; *swing set; toddler fx; *bounce house; *bike crash; *fell at playground; *stair tumble;
            *fell from scooter; *leg caught in crib; *climbed out of high chair; *older brother fell on leg; crying;
            guarding leg; *leg in spokes; *soccer kick; wont stand; *dresser drawer
            """,
            severe="""
            thigh swollen and deformed; screams with any movement; leg bent; *run over by {car|mower} in driveway;
            *story changes per {carer}; bruises of different ages; *tv fell on leg; femur fx on clinic xray; leg floppy;
            skin broken with bone; *atv rollover; *lawn mower; *dog attack; *unwitnessed; *dresser fell; open wound calf
            """,
            denied="fever; loc; vomiting; head injury; rash; recent cold; prior fx",
            chief="""
            limp; {side} leg pain; wont use {side} leg; hurt {side} leg; limping
            """,
            conditions="premature; asthma; eczema", vitals="pain",
        ),
    ),
)  # fmt: skip
