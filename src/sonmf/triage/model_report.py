"""What there is to see in a model, as plain data: the one object behind the report file, the web page and the JSON API."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import structs

from sonmf.stability import UNSTABLE
from sonmf.text import Topic, top_documents
from sonmf.text.lexicon import MARK
from sonmf.text.note_numbers import RANGES
from sonmf.text.topic_words import LEAST_SHARE
from sonmf.triage import lineage
from sonmf.triage.column_effects import MISSING, Category, Column, Number
from sonmf.triage.complaint import ComplaintModel
from sonmf.triage.evaluation_results import BOTH, COLUMNS, NOTES, TITLES, EvaluationSettings
from sonmf.triage.factorisations import METHODS, project
from sonmf.triage.kept_evaluations import KeptEvaluation, differences
from sonmf.triage.measures import FALSE_ALARMS
from sonmf.triage.provenance import Provenance, in_words
from sonmf.triage.recalibration import UNCHANGED
from sonmf.triage.records import Figures
from sonmf.triage.report_records import (
    CardReport,
    ColumnEffectReport,
    ColumnReport,
    ComplaintReport,
    EvaluationReport,
    MeritReport,
    MeritRow,
    OutcomeReport,
    RocPoint,
    Row,
    StabilityReport,
    StepReport,
    TopicReport,
    TradeOffs,
    WordInTopic,
)

if TYPE_CHECKING:
    from sonmf.triage.model import TriageModel

WORDS = 10
RANKED_BY = "correlation"  # what the words of a topic are ranked by
EXAMPLES = 3
TRADED = 12  # topics in the picture of how they trade off
INPUTS = (NOTES, COLUMNS, BOTH)
"""What a method has seen, from the least to all there is."""
JUDGED = (
    "Every patient is forecast by a classifier and a calibration that had not seen the outcome of that patient. "
    "The topics were found on all notes, without outcomes."
)
CHOSEN = (
    "So was the number of topics: the patients of each fold are forecast with the number that was best for the other patients. "
    "Among the figures by number of topics, the best look a little better than they are."
)
BEFORE = (
    "These figures and curves are of the fit. The forecast was recalibrated to later patients since: judge it on patients that "
    "came after those."
)
LIMITS = (
    "A forecast from what was typed and measured at triage. It has seen no images, no results of tests, no patient.",
    "It supports the preparation of beds. It must not decide about the care of a patient, nor replace a clinician.",
    "It knows the hospital, the period and the way of writing it was fitted on. Judge it again before using it elsewhere.",
    "Effects are associations in past decisions to admit, not causes, and repeat whatever was unfair in those decisions.",
    "The interval for the number of beds takes the probabilities as right and the patients as independent.",
)
SEEDED = "Such a topic stays what the notes with these words make it; the fit found the other topics beside it."


def ordered(model: TriageModel) -> list[ComplaintModel]:
    """Complaints by name, the model of all complaints last."""
    return [one for _, one in sorted(model.models_.items())] + [model.pooled_model_]


def title(name: str) -> str:
    """A complaint as people call it."""
    return name or "All complaints"


def complaint(model: ComplaintModel, notes: Sequence[str] = ()) -> ComplaintReport:
    """One complaint: its topics by effect, how they trade off, how the fit went, how good the forecast is."""
    record = model.record
    return ComplaintReport(
        name=model.name,
        title=title(model.name),
        n_notes=model.n_notes,
        n_admitted=model.n_admitted,
        base_rate=model.base_rate,
        n_words=len(model.words),
        n_topics=model.n_topics,
        intercept=model.intercept,
        topics=topics(model, notes),
        about_words=about_words(model),
        ranked_by=RANKED_BY,
        replicates=record.replicates,
        stability_in_words=how_stable(model),
        columns=columns(model),
        trade_offs=trade_offs(model),
        by_topics=record.by_topics,
        ranks=record.ranks,
        ranks_in_words=how_many(model),
        residual=record.residual,
        objective=record.objective,
        lasso=record.lasso,
        judged=judged_how(model),
        figures=Figures(**{name: getattr(record.out_of_fold, name) for name in Figures.__struct_fields__}),
        roc=roc_points(record.out_of_fold.roc),
        calibration=record.calibration,
        merit=merit_table(model),
        subgroups=record.subgroups,
    )


def roc_points(roc: Sequence[float | None]) -> list[RocPoint]:
    """A ROC curve as a chart draws it."""
    return [RocPoint(float(false_alarms), detected) for false_alarms, detected in zip(FALSE_ALARMS, roc, strict=True)]


def judged_how(model: ComplaintModel) -> str:
    """What the figures of a complaint are figures of."""
    sentences = [JUDGED]
    sentences += [CHOSEN] if len(model.record.by_topics) > 1 else []
    return " ".join(sentences if model.forecaster.recalibration == UNCHANGED else [*sentences, BEFORE])


def topics(model: ComplaintModel, notes: Sequence[str] = ()) -> list[TopicReport]:
    """Topics from the one that raises the odds of admission most to the one that lowers them most."""
    words, strength, names = model.topics(WORDS), model.strength, model.names
    amounts = project(model.vectorizer.transform(notes), model.components) if len(notes) else None
    return [
        TopicReport(
            number=int(k),
            name=names[k],
            label=model.labels[k],
            strength=float(strength[k]),
            odds=float(np.exp(strength[k])),
            effect=effect_in_words(float(strength[k])),
            positive=words[k].positive,
            negative=words[k].negative,
            negative_share=words[k].negative_share,
            about=about_topic(words[k], model.seeds[k]),
            stability=stability(model, int(k)),
            examples=[notes[i] for i in top_documents(amounts, k, EXAMPLES)] if amounts is not None else [],
        )
        for k in np.argsort(-strength, kind="stable")
    ]


def about_words(model: ComplaintModel, *, all_words: bool = False) -> str:
    """How the words of its topics were chosen, for a reader who knows no statistics; ``all_words`` where filler is listed."""
    sentences = [
        "Words that come and go with a topic most regularly stand first, by their correlation with it (1: always).",
        f"Words away from a topic are listed where notes on that side hold at least {LEAST_SHARE:.0%} of its energy (the "
        "sum of its squared amounts), with the share in brackets: less tells little.",
    ]
    if model.vectorizer.negation:
        sentences.append(f"{MARK} before a word means that the note denies it.")
    if not all_words:
        sentences.append('Filler such as "yr old" or "week ago" is not listed.')
    return " ".join(sentences)


def about_seeds(model: ComplaintModel) -> str:
    """Which topics were asked for by words, and what that means; empty where none was."""
    seeds = "; ".join(f"{k}: {seed}" for k, seed in enumerate(model.record.seeds))
    return f"Topics marked as seeded were asked for by words ({seeds}). {SEEDED}" if seeds else ""


def about_topic(topic: Topic, seed: str = "") -> list[str]:
    """Which words asked for it, if any, how much of it lies on the side of the words away from it, and what is not listed."""
    sentences = [f"Asked for by the words {seed}. {SEEDED}"] if seed else []
    if topic.negative_share is not None and topic.negative:
        sentences.append(f"The side away from it holds {topic.negative_share:.1%} of its energy.")
    elif topic.negative_share:
        sentences.append(
            f"The side away from it holds only {topic.negative_share:.1%} of its energy; its words are not listed."
        )
    if topic.hidden:
        sentences.append(f"Filler, not listed: {', '.join(topic.hidden)}.")
    return sentences


def stability(model: ComplaintModel, k: int) -> StabilityReport | None:
    """How far a topic is found again in fits to other draws of the patients; None where nobody has looked."""
    if not model.record.stability:
        return None
    cosines = model.record.stability[k]
    stable = cosines.score >= UNSTABLE
    meaning = (
        "stable: other draws of the patients give much the same topic"
        if stable
        else "unstable: other draws of the patients give a topic that differs much, so do not build on it"
    )
    figures = f"{cosines.score:.2f} of 1 on average in {model.record.replicates} fits to other draws of the patients"
    return StabilityReport(
        score=cosines.score,
        low=cosines.low,
        high=cosines.high,
        stable=stable,
        in_words=f"{meaning} ({figures})",
    )


def how_stable(model: ComplaintModel) -> str:
    """How many topics are stable, and what that means; empty where nobody has looked."""
    if not model.record.stability:
        return ""
    stable = sum(cosines.score >= UNSTABLE for cosines in model.record.stability)
    return (
        f"Stable: {stable} of {model.n_topics}. The topics were fitted again to {model.record.replicates} other draws of "
        "these patients. A stability of 1 means that a topic came back unchanged each time. "
        f"A topic below {UNSTABLE} is marked unstable: it may be chance."
    )


def how_many(model: ComplaintModel) -> str:
    """Why there are so many topics; empty where somebody gave the number."""
    if not model.record.ranks:
        return ""
    tried, topics = [row.n_topics for row in model.record.ranks], "topic" if model.n_topics == 1 else "topics"
    end = " It is the largest number tried: the notes may hold more." if model.n_topics == tried[-1] else ""
    return (
        f"{model.n_topics} {topics}, the fewest that forecast unseen words of unseen notes within one standard error of the "
        f"best number tried, from {tried[0]} to {tried[-1]}.{end}"
    )


def effect_in_words(strength: float) -> str:
    """What one standard deviation more of a topic does to the odds of admission."""
    if strength == 0:
        return "no effect on admission"
    change = np.exp(abs(strength)) - 1
    size = "slightly" if change < 0.1 else "moderately" if change < 0.35 else "strongly"
    times = f"odds \N{MULTIPLICATION SIGN} {np.exp(strength):.2f} for one standard deviation more"
    return f"{'raises' if strength > 0 else 'lowers'} the odds of admission {size} ({times})"


def column(fitted: Column) -> ColumnReport:
    """What can be given for a column: a number of about this range, one of these levels, or a text."""
    levels = fitted.levels if isinstance(fitted, Category) else ()
    return ColumnReport(
        name=fitted.name,
        kind=fitted.kind,
        measured=fitted.measured,
        unit=RANGES[fitted.name].unit if fitted.measured and fitted.name in RANGES else "",
        low=fitted.low if isinstance(fitted, Number) else None,
        high=fitted.high if isinstance(fitted, Number) else None,
        levels=[level for level in levels if level != MISSING],
    )


def columns(model: ComplaintModel) -> list[ColumnEffectReport]:
    """Columns and measurements, from the one that moves the forecast most to those that move nothing."""
    pairs = zip(model.columns, model.record.columns, strict=True)
    return [
        ColumnEffectReport(**structs.asdict(shape), unit=known.unit, low=known.low, high=known.high)
        for known, shape in sorted(((column(fitted), shape) for fitted, shape in pairs), key=lambda pair: -pair[1].moves)
    ]


def trade_offs(model: ComplaintModel) -> TradeOffs:
    """Correlation of the topics with the largest effects: who comes with whom, who instead of whom."""
    order = [int(k) for k in np.argsort(-np.abs(model.strength), kind="stable")[:TRADED]]
    names = model.names
    table = model.correlation[np.ix_(order, order)]
    return TradeOffs(topics=[names[k] for k in order], numbers=order, correlation=np.round(table, 3).tolist())


def merit_table(model: ComplaintModel) -> MeritReport:
    """The signalling topics by name, and the admission rate by how many of them a patient shows."""
    merit = model.record.merit
    signals = [*model.names, *(column.name for column in model.columns)]
    rows = [
        MeritRow(shown=shown, patients=n, admitted=a, rate=a / n if n else None)
        for shown, (n, a) in enumerate(zip(merit.patients, merit.admitted, strict=True))
    ]
    return MeritReport(topics=[signals[k] for k in merit.topics], rows=rows)


def search(model: ComplaintModel, word: str) -> list[WordInTopic]:
    """In which topics a word pulls which way, strongest first; words that contain it count too."""
    asked = word.strip().lower()
    if not asked:
        return []
    named = zip(model.words, model.spellings, strict=True)
    columns = [j for j, (stem, spelling) in enumerate(named) if asked in spelling or stem == asked]
    names = model.names
    rows = [
        WordInTopic(word=model.spellings[j], topic=int(k), name=names[k], weight=float(model.components[k, j]))
        for j in columns[:20]
        for k in np.argsort(-np.abs(model.components[:, j]), kind="stable")[:5]
    ]
    return sorted(rows, key=lambda row: -abs(row.weight))


def evaluations(model: TriageModel) -> list[EvaluationReport]:
    """What ``sonmf evaluate`` found, each with what it is about and where that is not the model as it was fitted."""
    return [evaluation(kept, model) for kept in model.evaluations_]


def evaluation(kept: KeptEvaluation, model: TriageModel) -> EvaluationReport:
    """The figures of one evaluation with the names people know, under a label of their own."""
    fitted, asked = model.provenance_, kept.asked
    return EvaluationReport(
        title=f"{asked.source}, {kept.date[:10]}",
        about=about(asked, kept.settings),
        differs=differences(kept, model),
        same_patients=bool(fitted and asked.data == fitted.data),
        by_time=bool(kept.settings.periods),
        rows=_with_titles(kept.summary),
        curves=_with_titles(kept.curves),
        left_out=kept.left_out,
    )


def _with_titles(rows: Iterable[Mapping[str, Any]]) -> list[Row]:
    return [{**row, "title": TITLES.get(row["method"], row["method"])} for row in rows]


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
        "folds": folds,
        "lambda rule": settings.rule,
        "fewest notes of a complaint": str(settings.min_notes),
        "words": f"{words.weighting}, of at least {words.min_df} notes, negation {in_word(words.negation)}",
        "words left out": ", ".join(words.drop_words or []) or "none",
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
    left = f"{sum(left_out.values()):,} rows left out: {in_words(left_out)}" if left_out else "no row left out"
    return f"admitted: {in_words(admitted)}; not admitted: {in_words(not_admitted)}; {left}"


def card(model: TriageModel) -> CardReport:
    """The model card, in the spirit of TRIPOD+AI: what it is for, what it was made from, how, how good, and its limits."""
    everyone = model.pooled_model_
    given = ", ".join(column.name for column in everyone.columns if not column.measured)
    known = ["the triage note"]
    known += ["the numbers in it"] if any(column.measured for column in everyone.columns) else []
    known += [f"the columns {given}"] if given else []
    settings = everyone.vectorizer.get_params()
    return CardReport(
        purpose=f"Forecast, from {', '.join(known)}, whether an emergency patient will be admitted.",
        outcome=outcome(model),
        source=model.provenance_.source if model.provenance_ else None,
        n_notes=everyone.n_notes,
        base_rate=everyone.base_rate,
        complaints=len(model.models_),
        method=METHODS[model.method].title,
        columns=columns(everyone),
        parameters={
            "topics": model.n_topics,
            "lambda rule": model.rule,
            "fewest notes of a complaint": model.min_notes,
            "seed": model.random_state,
            "weighting": settings["weighting"],
            "fewest notes of a word": settings["min_df"],
            "negation": in_word(settings["negation"]),
            "words left out": ", ".join(settings["drop_words"] or []) or "none",
            "numbers in the notes": "read" if model.measurements else "not read",
        },
        lineage=[StepReport(**structs.asdict(step), in_words=str(step)) for step in lineage.lineage(model)],
        created=model.created_,
        versions=model.versions_,
        limits=list(LIMITS),
    )
