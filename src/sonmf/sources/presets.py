"""What a command needs to know of a known data set."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from sonmf.sources.altered_consciousness import read_altered_consciousness
from sonmf.sources.mimic import read_mimic_iv_ed
from sonmf.sources.neiss import read_neiss
from sonmf.sources.source import Source
from sonmf.sources.table import Table

# each drops all its forms; LEFT stays, because it is a side of the body
LEAKING_WORDS = (
    "admit", "admitted", "admission", "admittance", "adm", "hospitalized", "hosp", "inpatient", "icu", "micu", "sicu", "picu",
    "discharge", "disch", "released", "transfer", "transf", "xfer", "xfr", "observation", "obs",
    "ama", "lwbs", "lwobs", "eloped", "expired", "died", "dead", "death", "deceased", "doa", "pronounced",
)  # fmt: skip


VITALS = ("temperature", "heart_rate", "respiratory_rate", "systolic", "diastolic", "saturation")


class Preset(NamedTuple):
    """Where a data set has what, and which of its rows count."""

    read: Callable[..., Any]
    """From paths to a table."""
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

    def open(self, path: str | Path) -> Source:
        """The data set at a path, which is read whole."""
        return Table(self.read(path), str(path))


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
            read_altered_consciousness,
            subgroups=("triage_level", "ambulance"),
            columns=(("triage_level", "category"), ("ambulance", "category"), *((name, "number") for name in VITALS)),
            **_SHARED | {"drop_words": ()},
        ),
        "neiss": Preset(
            read_neiss, subgroups=("age", "sex", "race"), columns=(("age", "number"), ("sex", "category")), **_SHARED
        ),
        "mimic-iv-ed": Preset(read_mimic_iv_ed, subgroups=("sex", "race"), **_SHARED),
    }
)


def preset_named(name: str) -> Preset:
    """The preset of that name, or a sentence on those there are."""
    if name not in PRESETS:
        raise ValueError(f"--preset {name}: there are {', '.join(PRESETS)}")
    return PRESETS[name]
