"""What surrounds the complaint in a note: patient, arrival, duration, company, and the words between them."""

from __future__ import annotations

from sonmf.datasets.cases import AGES
from sonmf.datasets.pictures import ONSETS
from sonmf.datasets.toml_table import Table
from sonmf.datasets.word_lists import NAMES

_TABLE = Table.read("surroundings.toml")
OWN_ARRIVAL = _TABLE.phrases("own_arrival", NAMES)
AMBULANCE_ARRIVAL = _TABLE.phrases("ambulance_arrival", NAMES)
COMPANY = _TABLE.phrases("company", NAMES)
PLAIN_LOOK = _TABLE.phrases("plain_look", NAMES)
INTRODUCTION = _TABLE.phrases("introduction", NAMES)
HISTORY, DRUGS, COMMAS, STOPS, LISTED = (_TABLE.texts(name) for name in ("history", "drugs", "commas", "stops", "listed"))
LASTED = {onset: _TABLE.table("lasted").phrases(onset, NAMES) for onset in ONSETS}
NEGATIONS = [(one.text("first"), one.text("second"), one.text("third")) for one in _TABLE.tables("negation")]
_TABLE.finish()


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
