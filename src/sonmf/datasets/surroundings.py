"""What surrounds the complaint in a note: who, how they came, for how long it has lasted, who is there, how it is put."""

from __future__ import annotations

from sonmf.datasets.cases import AGES

OWN_ARRIVAL = """
kid: carried in by {carer}; kid: here with {carer}; child: walked in with {carer}; kid: sent by {peds|pediatrician|pcp};
kid: from urgent care with {carer}; kid: by pov with {carer}; adult: ambulatory to triage; grown: by pov; adult: walked in;
grown: driven by {family}; grown: sent by {pcp|urgent care|clinic|nurse line}; adult: dropped off by {friend|family|coworker};
adult: from work; adult: from urgent care; old: by wheelchair with {family}; old: brought by {family};
old: here with {family}; old: sent by {cardiologist|home health|pcp}; old: from {facility} by van; old: by pov with {family}
"""
AMBULANCE_ARRIVAL = """
kid: via ems with {carer}; by ambulance; kid: rushed in by medics; flown in from outlying clinic; kid: ems called by {carer};
grown: via ems; grown: bib ems; grown: medics called by {family}; adult: arrived by squad; adult: brought in by fire dept;
adult: 911 called by {family|coworker|bystander}; grown: flown in by lifeflight; old: via ems from home;
old: bib ems from {facility}; old: sent by {facility} via ems; old: medics from {facility}; old: squad from home;
old: 911 called by {family}
"""
COMPANY = """
kid: immunizations utd; kid: vaccines utd; kid: {carer} at bedside; kid: attends daycare; kid: full term; kid: no daily meds;
kid: {carer} gave {tylenol|motrin} at {2|4|6|8}am; nkda; kid: behind on shots; kid: lives with {grandparents|foster family};
kid: followed at peds clinic; spanish speaking; interpreter used;
grown: allergic to {pcn|sulfa|codeine|latex|morphine|iodine}; grown: lives with {family}; adult: no pcp;
adult: works {construction|nights|retail|at warehouse|in kitchen}; adult: social drinker; adult: no meds today;
grown: {family} at bedside; grown: from out of town; adult: uninsured; young: vapes;
young f: lmp {last week|2 wks ago|unknown}; young: college student; grown: quit smoking last year;
seen here last week for same; old: lives alone; old: walker at baseline; old: home health {daily|weekly}; old: poor historian;
old: hoh; old: hx per {family}; old: retired; old: wears hearing aids; old: meds in bag; old: pills sorted by {family};
old: has dnr; grown: seen by pcp {monday|last week|yesterday}; young: travels for work; adult: tdap utd
"""

PLAIN_LOOK = """
alert; skin warm and dry; cooperative; appears uncomfortable; mild distress; in wheelchair; tired appearing; resp even;
fsbs {90..180}; grown: ekg done in triage; iv started; labs drawn per protocol; grown: aox{3|4}; kid: held by {carer};
kid: quiet; anxious; color fair; placed on monitor; pt masked; grown: answers questions appropriately;
grown: fall risk band on; restless; kid: fussy with exam
"""

LASTED = {
    "minutes": """
    x{10..50} min; just pta; {10..50} minutes ago; x1 hr; started {20..55} min ago; sudden onset; pta; x{1|2} hrs;
    while at {home|store|dinner}; in the car; about {20|30|40} min
    """,
    "hours": """
    x{2..12} hrs; since this morning; since {6..11}am; since last night; onset {0200|0345|0500|0615|0730|0900};
    {2..9} hours ago; woke up with it; since yesterday; this afternoon; x1 day; overnight; today; since lunch;
    since {noon|midnight}
    """,
    "days": """
    x{2..6} days; x{2..6}d; since {monday|tuesday|wednesday|thursday|friday|saturday|sunday}; for {2..6} days; x1 week;
    since the weekend; on and off x{3..9} days; x past few days; getting worse over {2..5} days; x1 wk; {2..6} day hx;
    x several days
    """,
    "weeks": """
    x{2..6} weeks; x{2..6} wks; for {1..3} months; x{1..4} mo; for past month;
    since {january|march|may|june|august|october|november}; gradual over {2..6} wks; x several weeks; ongoing for weeks;
    off and on x{2..4} mo
    """,
}

INTRODUCTION = """
c/o; c/o; c/o; c/o; presents with; here for; with; cc; reports; complains of; arrives with; pw; eval of; seen for;
complaint of; p/w; kid: per {carer}; kid: {carer} reports
"""
NEGATIONS = (
    ("denies ", ", ", " or "),
    ("denies ", ", ", ", "),
    ("no ", ", no ", ", no "),
    ("denies ", " or ", " or "),
    ("neg for ", ", ", ", "),
    ("denies ", "/", "/"),
    ("denies any ", " or ", " or "),
    ("no ", " or ", " or "),
    ("without ", " or ", " or "),
    ("negative for ", "/", "/"),
    ("denied ", ", ", " and "),
)
HISTORY = ("hx ", "pmh ", "hx of ", "pmhx ", "h/o ", "history of ", "hx: ", "hx ")
DRUGS = (", on ", ", takes ", ", meds ", " on ", ", taking ", " - home meds ")
COMMAS = (", ", ", ", ", ", "; ", " ", " - ", ", ")
STOPS = (". ", ". ", ". ", "; ", ", ", " ")
LISTED = (", ", "/", ", ", " ", " and ")


def opener(age: int, sex: str) -> list[str]:
    """How a note of a patient of this age begins; -1 is an infant of a few weeks."""
    noun = {"m": "male", "f": "female"}[sex]
    if age < 1:
        old = ("{2..8} wk", "{2..8} week", "{15..58} day") if age < 0 else ("{2..11} mo", "{2..11} month", "{2..11}mo")
        return [f"{old[0]} {sex}", f"{old[1]} old {noun}", f"{old[2]} old {noun}", f"{old[0]} old infant"]
    who = {"m": "man", "f": "woman"}[sex] if age >= AGES[1] else {"m": "boy", "f": "girl"}[sex]
    short = [
        f"{age} yo {sex}",
        f"{age}yo{sex}",
        f"{age}yo {sex}",
        f"{age} yo {noun}",
        f"{age} YO{sex.upper()}",
        f"{age}{sex.upper()}",
        f"{age}YO{sex.upper()}",
    ]
    return [*short, f"{age} y/o {noun}", f"{age} yr old {noun}", f"pt is {age} yo {who}", f"{age} year old {who}"]
