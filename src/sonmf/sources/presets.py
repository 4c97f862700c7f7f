"""What a command needs to know about a published data set."""

from __future__ import annotations

from types import MappingProxyType
from typing import NamedTuple

from sonmf.errors import InputError
from sonmf.sources.altered_consciousness import AlteredConsciousness
from sonmf.sources.mimic import MimicIvEd
from sonmf.sources.neiss import Neiss
from sonmf.sources.source import KnownSource, Source

# each word drops all its forms; LEFT stays, because it is a side of the body
LEAKING_WORDS = (
    "admit", "admitted", "admission", "admittance", "adm", "hospitalized", "hosp", "inpatient", "icu", "micu", "sicu", "picu",
    "discharge", "disch", "released", "transfer", "transf", "xfer", "xfr", "observation", "obs",
    "ama", "lwbs", "lwobs", "eloped", "expired", "died", "dead", "death", "deceased", "doa", "pronounced",
)  # fmt: skip


VITALS = ("temperature", "heart_rate", "respiratory_rate", "systolic", "diastolic", "saturation")


class Preset(NamedTuple):
    """Which columns a data set has, and which of its rows count."""

    open: type[KnownSource]
    """The class that reads the source as it is published."""
    subgroups: tuple[str, ...]
    """Columns by which to compare how well a model does, if a table has them."""
    text: str = "note"
    label: str = "disposition"
    positive: tuple[str, ...] = ("admitted",)
    """Labels that count as admitted."""
    negative: tuple[str, ...] = ("discharged",)
    """Labels that count as discharged; rows with any other label are left out."""
    group: str | None = None
    """Column of the complaint, if there is one."""
    drop_words: tuple[str, ...] = LEAKING_WORDS
    """Words that reveal the outcome."""
    columns: tuple[tuple[str, str], ...] = ()
    """Columns that are known at triage and count beside the note, each with its kind."""


PRESETS = MappingProxyType(
    {
        "altered-consciousness": Preset(
            AlteredConsciousness,
            subgroups=("triage_level", "ambulance"),
            columns=(("triage_level", "category"), ("ambulance", "category"), *((name, "number") for name in VITALS)),
            drop_words=(),
        ),
        "neiss": Preset(Neiss, subgroups=("age", "sex", "race"), columns=(("age", "number"), ("sex", "category"))),
        "mimic-iv-ed": Preset(MimicIvEd, subgroups=("sex", "race")),
    }
)


def as_data_set(source: Source, named: str | None, fitted: str | None = None) -> Source:
    """A source as the named data set, else as that of a model, if it looks like it."""
    if named is not None:
        return preset_named(named).open(source)
    known = PRESETS.get(fitted or "")
    return known.open(source) if known and known.open.recognises(source) else source


def preset_named(name: str) -> Preset:
    """The preset of that name, or an error that names the known ones."""
    if name not in PRESETS:
        raise InputError(f"--preset {name}: there are {', '.join(PRESETS)}")
    return PRESETS[name]
