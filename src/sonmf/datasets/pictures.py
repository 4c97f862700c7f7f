"""What each complaint looks like in the words of a triage nurse, one clinical picture after another, and earlier illnesses."""

from __future__ import annotations

from typing import NamedTuple

from sonmf.datasets.toml_table import FOLDER, Table, Texts
from sonmf.datasets.vitals import SIGNS
from sonmf.datasets.word_lists import NAMES

ONSETS = ("minutes", "hours", "days", "weeks")


class Condition(NamedTuple):
    """A long-standing illness: how it is written, what is taken for it, what it adds to the log-odds, and who has it."""

    written: Texts
    drugs: Texts
    risk: float
    common: tuple[float, ...]
    """How common it is, relative to the others, in children, adults, and the old."""

    @classmethod
    def of(cls, table: Table) -> Condition:
        """The illness of a table."""
        written, drugs = (table.phrases(key, NAMES) for key in ("written", "drugs"))
        found = cls(written, drugs, table.number("risk"), table.numbers("common", 3))
        table.finish()
        return found


_ILLNESSES = Table.read("conditions.toml")
CONDITIONS = {name: Condition.of(_ILLNESSES.table(name)) for name in _ILLNESSES}


class Picture(NamedTuple):
    """One latent cause behind a complaint, with its phrases."""

    name: str
    share: float
    """How common it is among the patients with the complaint, relative to the others."""
    risk: float
    """What it adds to the log-odds of admission."""
    ages: tuple[int, int]
    """All patients are between these ages."""
    women: float
    onset: str
    """Which list of durations it takes."""
    conditions: Texts
    """Long-standing illnesses that go with it."""
    vitals: Texts
    """Vital signs that it disturbs."""
    chief: Texts
    """What they say, beside what all patients with the complaint say."""
    ill: Texts
    """How they look when it is not well, instead of how other patients with the complaint do."""
    mild: Texts
    usual: Texts
    severe: Texts
    denied: Texts
    """Symptoms that are asked for and absent."""

    @classmethod
    def of(cls, table: Table) -> Picture:
        """The picture of a table."""
        low, high = table.numbers("ages", 2)
        if not 0 <= low <= high < 100:
            raise table.wrong("ages must rise, from 0 to 99", "ages")
        found = cls(
            table.text("name"),
            table.number("share"),
            table.number("risk"),
            (int(low), int(high)),
            table.number("women", 0.5),
            table.text("onset", ONSETS),
            table.texts("conditions", CONDITIONS),
            table.texts("vitals", SIGNS, ()),
            *(table.phrases(key, NAMES, ()) for key in ("chief", "ill")),
            *(table.phrases(key, NAMES) for key in ("mild", "usual", "severe", "denied")),
        )
        table.finish()
        symptoms = (*found.mild, *found.usual, *found.severe)
        if twice := next((one for place, one in enumerate(symptoms) if one in symptoms[:place]), None):
            raise table.wrong(f"the symptom {twice!r} stands there twice", "mild", f'"{twice}"')
        return found


class Complaint(NamedTuple):
    """What all pictures of a complaint share."""

    name: str
    chief: Texts
    calm: Texts
    """How the patient looks at the desk when all is well."""
    ill: Texts
    """How the patient looks at the desk when it is not."""
    pictures: tuple[Picture, ...]

    @classmethod
    def of(cls, table: Table) -> Complaint:
        """The complaint of a file."""
        chief, calm, ill = (table.phrases(key, NAMES) for key in ("chief", "calm", "ill"))
        found = cls(table.text("complaint"), chief, calm, ill, tuple(map(Picture.of, table.tables("picture"))))
        table.finish()
        return found


_FILES = sorted(path.name for path in (FOLDER / "complaints").iterdir())
PICTURES = {complaint.name: complaint for complaint in (Complaint.of(Table.read(f"complaints/{file}")) for file in _FILES)}
