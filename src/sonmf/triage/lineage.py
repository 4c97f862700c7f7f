"""Where a model comes from: the fit, and every update since, each with its day and its patients."""

from __future__ import annotations

import datetime
from importlib.metadata import version
from typing import TYPE_CHECKING, Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from sonmf.triage.recalibration import UNCHANGED
from sonmf.triage.strict_json import NaturalNumber

if TYPE_CHECKING:
    from sonmf.triage.model import TriageModel

How = Literal["fit", "recalibrate", "refit"]
FIT: Final = "fit"
RECALIBRATE: Final = "recalibrate"
REFIT: Final = "refit"
PACKAGES = ("sonmf", "numpy", "scipy", "scikit-learn", "numba")
IN_WORDS = {FIT: "fitted", RECALIBRATE: "recalibrated", REFIT: "refitted"}


class Step(Struct, frozen=True):
    """How a model of the lineage was made, and from which patients.

    Examples
    --------
    >>> from sonmf.triage.lineage import Step
    >>> print(Step("fit", "2026-03-01T09:00:00+00:00", "0.1.0", "notes.csv", "", 1200))
    fitted 2026-03-01 on 1,200 patients of notes.csv
    """

    how: How
    date: str
    """Day and time (UTC); empty where it is not known."""
    sonmf: str
    """Version of sonmf; empty where it is not known."""
    source: str
    """Name of the file of patients; empty for patients given in Python."""
    data: str
    """Fingerprint of the patients, as ``Provenance.data``; empty where it is not known."""
    notes: NaturalNumber
    """Number of patients."""
    sha256: str = ""
    """SHA-256 of the model's file; empty for the last model of the line, whose file this is."""

    def __str__(self) -> str:
        where = f" of {self.source}" if self.source else ""
        when = f" {self.date[:10]}" if self.date else ""
        return f"{IN_WORDS[self.how]}{when} on {self.notes:,} patients{where}"


def lineage(model: TriageModel) -> list[Step]:
    """The models that a model comes from: the first fit first, the model itself last."""
    if model.lineage_:
        return list(model.lineage_)
    fitted = model.provenance_
    source, data = (fitted.source, fitted.data) if fitted else ("", "")
    return [Step(FIT, model.created_, model.versions_.get("sonmf", ""), source, data, model.pooled_model_.n_notes)]


def extend_lineage(model: TriageModel, how: How, source: str, data: str, notes: int) -> list[Step]:
    """The lineage of a model that is made from this one now, with patients of this source and fingerprint."""
    *before, parent = lineage(model)
    return [*before, replace(parent, sha256=model.sha256_), Step(how, now(), version("sonmf"), source, data, notes)]


def now() -> str:
    """Day and time (UTC) to the second."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def package_versions() -> dict[str, str]:
    """The versions of the packages that a fit depends on."""
    return {name: version(name) for name in PACKAGES}


def learned_from(model: TriageModel, complaint: str) -> int:
    """How many patients the level of a complaint's forecasts is based on; for the empty name, that of all forecasts.

    A recalibration rests on its own patients, which are fewer than those of the fit. It is assumed to have the same share of
    each complaint as the fit. Of several recalibrations the smallest counts.
    """
    own = model.by_name_[complaint]
    steps = lineage(model)
    last = max((place for place, step in enumerate(steps) if step.how != RECALIBRATE), default=-1)
    models = [own] if complaint else model.by_name_.values()
    if all(each.forecaster.recalibration == UNCHANGED for each in models):
        return own.n_notes
    share = own.n_notes / model.pooled_model_.n_notes
    return min([own.n_notes, *(max(1, round(share * step.notes)) for step in steps[last + 1 :])])


def has_seen(model: TriageModel, data: str) -> str:
    """How these patients made the model or one before it, such as "fitted"; empty if they made none."""
    steps = [step for step in lineage(model) if step.data and step.data == data]
    return IN_WORDS[steps[-1].how] if steps else ""


def in_words(model: TriageModel) -> str:
    """The lineage in a sentence."""
    return "; ".join(map(str, lineage(model)))
