"""What a command needs to know of a known data set."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, NamedTuple

from sonmf.sources.altered_consciousness import AlteredConsciousness
from sonmf.sources.decoded import KnownSource
from sonmf.sources.mimic import MimicIvEd
from sonmf.sources.neiss import Neiss
from sonmf.sources.source import Source

# each drops all its forms; LEFT stays, because it is a side of the body
LEAKING_WORDS = (
    "admit", "admitted", "admission", "admittance", "adm", "hospitalized", "hosp", "inpatient", "icu", "micu", "sicu", "picu",
    "discharge", "disch", "released", "transfer", "transf", "xfer", "xfr", "observation", "obs",
    "ama", "lwbs", "lwobs", "eloped", "expired", "died", "dead", "death", "deceased", "doa", "pronounced",
)  # fmt: skip


VITALS = ("temperature", "heart_rate", "respiratory_rate", "systolic", "diastolic", "saturation")


class Preset(NamedTuple):
    """Where a data set has what, and which of its rows count."""

    open: type[KnownSource]
    """From the source as it is published to the data set."""
    text: str
    label: str
    positive: tuple[str, ...]
    """Labels that count as admitted."""
    negative: tuple[str, ...]
    """Labels that count as discharged; rows with any other are left out."""
    group: str | None
    """Column of the complaint, where there is one."""
    subgroups: tuple[str, ...]
    """Columns over which to compare how well a model does, where a table has them."""
    drop_words: tuple[str, ...]
    """Words that tell the outcome."""
    columns: tuple[tuple[str, str], ...] = ()
    """Columns that are known at triage and count beside the note, each with its kind."""


_SHARED: dict[str, Any] = {
    "text": "note",
    "label": "disposition",
    "positive": ("admitted",),
    "negative": ("discharged",),
    "group": None,
    "drop_words": LEAKING_WORDS,
}
PRESETS = MappingProxyType(
    {
        "altered-consciousness": Preset(
            AlteredConsciousness,
            subgroups=("triage_level", "ambulance"),
            columns=(("triage_level", "category"), ("ambulance", "category"), *((name, "number") for name in VITALS)),
            **_SHARED | {"drop_words": ()},
        ),
        "neiss": Preset(Neiss, subgroups=("age", "sex", "race"), columns=(("age", "number"), ("sex", "category")), **_SHARED),
        "mimic-iv-ed": Preset(MimicIvEd, subgroups=("sex", "race"), **_SHARED),
    }
)


def as_data_set(source: Source, said: str | None, fitted: str | None = None) -> Source:
    """A source as the data set that was named, else as the one that a model was fitted to, if it looks like that.

    Parameters
    ----------
    source : Source
    said : str or None
        Name of a preset.
    fitted : str, optional
        That of the model.

    Returns
    -------
    Source
    """
    if said is not None:
        return preset_named(said).open(source)
    known = PRESETS.get(fitted or "")
    return known.open(source) if known and known.open.recognises(source) else source


def preset_named(name: str) -> Preset:
    """The preset of that name, or a sentence on those there are."""
    if name not in PRESETS:
        raise ValueError(f"--preset {name}: there are {', '.join(PRESETS)}")
    return PRESETS[name]
