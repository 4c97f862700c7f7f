"""A model as a whole, as plain data: its card, and how its method did in evaluations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from sonmf.triage import lineage
from sonmf.triage.evaluation_file import differences
from sonmf.triage.evaluation_results import INPUTS, Evaluation, EvaluationSettings, JudgedMethod, Row
from sonmf.triage.factorisations import METHODS
from sonmf.triage.labels import label_of
from sonmf.triage.lineage import Step
from sonmf.triage.model_report import ColumnReport, Curve, columns
from sonmf.triage.provenance import Provenance, in_words, rows_left_out

if TYPE_CHECKING:
    from sonmf.triage.model import TriageModel

INTENDED_USE = (
    "It is meant for people who plan the beds of a hospital, and for research. It is not a medical device: nobody has "
    "certified it, and it must not be used to diagnose, to triage or to treat."
)
SUPPORTED = (
    "sonmf is supported on Linux with Python 3.11 and newer. It has not been tested on macOS, and Windows is not supported. "
    "Only the newest release gets fixes."
)
LIMITS = (
    "It forecasts from what was typed and measured at triage. It has seen no images, no test results and no patient.",
    "It supports the preparation of beds. It must not decide about the care of a patient or replace a clinician.",
    "It knows only the hospital, the period and the way of writing of its fit. Judge it again before you use it elsewhere.",
    "Effects are associations with past decisions to admit, not causes. They repeat what was unfair in those decisions.",
    "The interval for the number of beds assumes that the probabilities are right and that patients are independent.",
)


class EvaluationReport(Struct, frozen=True):
    """An evaluation, what it is about, and how that differs from the model as it was fitted."""

    title: str
    about: dict[str, str]
    differs: list[str]
    same_patients: bool
    by_time: bool
    rows: list[Row]
    """The rows of ``Evaluation.summary``."""
    methods: list[JudgedMethod]
    left_out: dict[str, str]


class OutcomeReport(Struct, frozen=True):
    """Rows by value of the outcome: those that mean admitted, those that do not, and those left out."""

    column: str | None
    admitted: dict[str, int]
    not_admitted: dict[str, int]
    left_out: dict[str, int]
    in_words: str


class CardReport(Struct, frozen=True):
    """The model card, in the spirit of TRIPOD+AI: what it is for, what it was made from, how, and its limits."""

    purpose: str
    intended_use: str
    outcome: OutcomeReport
    source: str | None
    n_notes: int
    base_rate: float
    complaints: int
    method: str
    columns: list[ColumnReport]
    parameters: dict[str, object]
    lineage: list[Step]
    lineage_in_words: str
    created: str
    versions: dict[str, str]
    supported: str
    limits: list[str]
    pooled: dict[str, str]
    """Complaints without a model of their own, with the reason."""


def evaluations(model: TriageModel) -> list[EvaluationReport]:
    """The results of ``sonmf evaluate``, each with how it differs from the model as it was fitted."""
    return [evaluation(judged, model) for judged in model.evaluations_]


def evaluation(judged: Evaluation, model: TriageModel) -> EvaluationReport:
    """The figures of one evaluation with the names people know, under a label of their own."""
    fitted, asked = model.provenance_, judged.asked
    return EvaluationReport(
        title=f"{asked.source}, {judged.date[:10]}",
        about=about(asked, judged.settings),
        differs=differences(judged, model),
        same_patients=bool(fitted and asked.data == fitted.data),
        by_time=bool(judged.settings.periods),
        rows=judged.summary(),
        methods=judged.methods,
        left_out=judged.left_out,
    )


def curves_beside(model: TriageModel, complaint: str, evaluations: Sequence[EvaluationReport]) -> list[Curve]:
    """The curves to compare with those of a complaint's model: each method at the number of topics that suits it best.

    They are of the latest evaluation of the patients that the model was fitted on. Methods are compared with the same inputs.
    """
    evaluation = next((judged for judged in reversed(evaluations) if judged.same_patients), None)
    if evaluation is None:
        return []
    of_complaint = [method for method in evaluation.methods if method.complaint == complaint]
    inputs = max((method.inputs for method in of_complaint), key=INPUTS.index, default=None)
    comparable = [method for method in of_complaint if method.inputs == inputs]
    best = {method.method: method for method in sorted(comparable, key=_area)}
    return [_curve(method, model.method) for method in comparable if method is best[method.method]]


def _area(method: JudgedMethod) -> float:
    """AUROC, 0 where it is not known."""
    return method.figures["auroc"].value if "auroc" in method.figures else 0.0


def _curve(judged: JudgedMethod, own: str) -> Curve:
    topics = f", {judged.n_topics} topics" if judged.n_topics else ""
    return Curve(f"{judged.title}{topics}", own=judged.method == own, roc=judged.roc, bins=judged.reliability)


def about(asked: Provenance, settings: EvaluationSettings) -> dict[str, str]:
    """What an evaluation is about, by name."""
    words = settings.words
    named = {"notes": asked.text, "outcome": asked.label, "complaints": asked.group}
    folds = f"{settings.folds} folds, {settings.repeats} times"
    if edges := [edge[:10] for edge in settings.periods]:
        folds = f"trained on the past, judged on later patients; periods that begin {', '.join(edges[:-1])}"
    return {
        "file": f"{asked.source}, {asked.rows:,} rows",
        "outcome": outcome_in_words(asked.admitted, asked.not_admitted, asked.left_out),
        "columns": ", ".join(f"{what} in {name}" for what, name in named.items() if name),
        "columns beside the note": ", ".join(f"{name} ({kind})" for name, kind in settings.columns.items()) or "none",
        "numbers in the notes": "read" if settings.measurements else "not read",
        "fingerprint of notes and outcomes (SHA-256)": asked.data,
        "topics": ", ".join(map(str, settings.n_topics)),
        "outcome axes (directions made from the outcome)": str(settings.outcome_axes),
        "folds": folds,
        "lambda rule": settings.rule,
        "fewest notes of a complaint": str(settings.min_notes),
        "words": f"{words.weighting}, of at least {words.min_df} notes, negation {in_word(words.negation)}",
        "words left out": ", ".join(words.drop_words or []) or "none",
        "stop words kept": ", ".join(words.keep_words or []) or "none",
    }


def in_word(negation: str | None) -> str:
    """Whether negations are marked."""
    return "marked" if negation else "not marked"


def outcome(model: TriageModel) -> OutcomeReport:
    """Rows by value of the outcome: those that mean admitted, those that do not, and those left out."""
    if asked := model.provenance_:
        column, rows = asked.label, (asked.admitted, asked.not_admitted, asked.left_out)
    else:
        other, admitted = map(str, model.classes_)
        n, n_admitted = model.pooled_model_.n_notes, model.pooled_model_.n_admitted
        column, rows = None, ({admitted: n_admitted}, {other: n - n_admitted}, {})
    yes, no, left_out = rows
    words = outcome_in_words(yes, no, left_out)
    return OutcomeReport(column=column, admitted=yes, not_admitted=no, left_out=left_out, in_words=words)


def outcome_in_words(admitted: Mapping[str, int], not_admitted: Mapping[str, int], left_out: Mapping[str, int]) -> str:
    """Every value that means admitted, every one that means not admitted, and how many rows were left out for which value."""
    left = rows_left_out(left_out) if left_out else "no row left out"
    return f"admitted: {in_words(admitted)}; not admitted: {in_words(not_admitted)}; {left}"


def card(model: TriageModel) -> CardReport:
    """The model card."""
    everyone = model.pooled_model_
    given = ", ".join(label_of(column.name) for column in everyone.columns if not column.measured)
    read = "the triage note" + (" and the numbers in it" if any(column.measured for column in everyone.columns) else "")
    read += f", and these columns: {given}" if given else ""
    settings, period = everyone.vectorizer.get_params(), model.provenance_.period if model.provenance_ else None
    return CardReport(
        purpose=f"The model forecasts whether an emergency patient will be admitted. It reads {read}.",
        intended_use=INTENDED_USE,
        outcome=outcome(model),
        source=model.provenance_.source if model.provenance_ else None,
        n_notes=everyone.n_notes,
        base_rate=everyone.base_rate,
        complaints=len(model.models_),
        method=METHODS[model.method].title,
        columns=sorted(columns(everyone), key=lambda column: -column.moves),
        parameters={
            "topics": model.n_topics,
            "outcome axes (directions made from the outcome)": model.outcome_axes,
            "lambda rule": model.rule,
            "fewest notes of a complaint": model.min_notes,
            "seed": model.random_state,
            "weighting": settings["weighting"],
            "fewest notes of a word": settings["min_df"],
            "negation": in_word(settings["negation"]),
            "words left out": ", ".join(settings["drop_words"] or []) or "none",
            "stop words kept": ", ".join(settings["keep_words"] or []) or "none",
            "period of the data": " to ".join(period) if period else "unknown",
            "numbers in the notes": "read" if model.measurements else "not read",
        },
        lineage=lineage.lineage(model),
        lineage_in_words=lineage.in_words(model),
        created=model.created_,
        versions=model.versions_,
        supported=SUPPORTED,
        limits=list(LIMITS),
        pooled=model.pooled_,
    )
