"""The model of one complaint as plain data: what report, pages, command line and JSON API say about it.

Fields of these records are the names that templates use and the keys of the JSON.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct, structs

from sonmf.stability import UNSTABLE
from sonmf.text import Topic, top_documents
from sonmf.text.topic_words import LEAST_SHARE
from sonmf.triage import topics_together
from sonmf.triage.axes import AxisReport, about_axes, axis_reports
from sonmf.triage.column_effects import Column, Number
from sonmf.triage.complaint import ComplaintModel
from sonmf.triage.factorisations import project
from sonmf.triage.labels import in_short, label_of, rounded, unit_of
from sonmf.triage.recalibration import UNCHANGED
from sonmf.triage.records import (
    Bin,
    ByTopics,
    Calibration,
    Lasso,
    Merit,
    OutOfFold,
    RankError,
    Shape,
    Subgroup,
    TopicStability,
    ValueEffect,
)
from sonmf.triage.topics_together import Neighbour, PlacedTopic

if TYPE_CHECKING:
    from sonmf.triage.model import TriageModel

WORDS = 10
RANKED_BY = "correlation"  # what the words of a topic are ranked by
EXAMPLES = 3
TRADED = 12  # topics in the picture of how they trade off
JUDGED = (
    "Every patient is forecast by a classifier and a calibration that had not seen the outcome of that patient. "
    "The topics were found in all notes, without outcomes; the axes made from outcomes do not use that of the patient."
)
CHOSEN = (
    "The number of topics was chosen in the same way: the patients of each fold are forecast with the number that was best for "
    "the other patients. Among the figures by number of topics, the best look a little better than they are."
)
BEFORE = (
    "These figures and curves are of the fit. The forecast has since been recalibrated to later patients: judge it on patients "
    "who came after those."
)
STABILITY_UNKNOWN = "It is not known which topics would come back with other patients: fit with --stability 20 to find out."
SEEDED = "Such a topic is what the notes with these words have in common, and stays fixed; the fit found the other topics."

Words = list[tuple[str, float]]
"""Words with their weight or correlation."""


class TopicReport(Struct, frozen=True):
    """A topic, as a report shows it."""

    number: int
    name: str
    label: str
    strength: float
    odds: float
    effect: str
    positive: Words
    negative: Words
    negative_share: float | None
    about: list[str]
    stability: TopicStability | None
    """How stable the topic is; None if the topics were not fitted again to other draws of the patients."""
    stability_in_words: str
    notes: int | None
    """The notes of the fit that show the topic; 0 if these are fewer than 10, None if nobody has counted them."""
    neighbours: list[Neighbour]
    """The topics that occur with this one most often, and then those that do least often."""
    months: list[tuple[str, float | None]]
    """The share of each month's notes that show the topic; None for fewer than 10 such notes."""
    examples: list[str]

    @property
    def direction(self) -> str:
        """Raises, lowers or neither, judged by the odds of admission as they are written, with two decimals."""
        return direction_of(self.strength)


class ColumnReport(Shape, frozen=True):
    """The effect of a column, and what can be given for it: a number of about this range, one of its levels, or a text."""

    label: str
    """The name of the column as people read it."""
    unit: str
    low: float | None
    high: float | None
    least: ValueEffect[str]
    """The value that lowers the odds of admission most."""
    most: ValueEffect[str]
    """The value that raises them most."""


class TradeOffs(Struct, frozen=True):
    """Which topics come together, and which come instead of each other."""

    topics: list[str]
    numbers: list[int]
    correlation: list[list[float]]


class Curve(Struct, frozen=True):
    """ROC and calibration of a model or of a method in an evaluation; ``own`` where it is the model or its method."""

    title: str
    own: bool
    roc: Sequence[float | None]
    """The share of the admitted that are found at 0, 1, ... 100% of false alarms."""
    bins: list[Bin]


class ComplaintReport(Struct, frozen=True):
    """One complaint: its topics by effect, how they trade off, how the fit went, how good the forecast is."""

    name: str
    title: str
    n_notes: int
    n_admitted: int
    base_rate: float
    n_words: int
    n_topics: int
    intercept: float
    topics: list[TopicReport]
    axes: list[AxisReport]
    about_axes: str
    about_words: str
    ranked_by: str
    replicates: int
    stability_in_words: str
    columns: list[ColumnReport]
    trade_offs: TradeOffs
    map: list[PlacedTopic]
    """The topics on the map, by number; empty for a model from before this was kept."""
    by_topics: list[ByTopics]
    ranks: list[RankError]
    ranks_in_words: str
    residual: float
    objective: list[float]
    lasso: Lasso
    judged: str
    figures: OutOfFold
    curves: list[Curve]
    """The curves, of which the first is that of the model itself."""
    calibration: Calibration
    signals: list[str]
    """What signals admission most, by name; ``merit`` has the patients by how many of these they show."""
    merit: Merit
    subgroups: list[Subgroup]


def ordered(model: TriageModel) -> list[ComplaintModel]:
    """Complaints by name, the model of all complaints last."""
    return [fitted for _, fitted in sorted(model.models_.items())] + [model.pooled_model_]


def title(name: str) -> str:
    """A complaint as people call it."""
    return name or "All complaints"


def complaint(model: ComplaintModel, notes: Sequence[str] = (), evaluated: Sequence[Curve] = ()) -> ComplaintReport:
    """The report of a complaint, with typical ones of these notes, and the curves of methods that were evaluated."""
    record = model.record
    own = Curve("this model", own=True, roc=record.out_of_fold.roc, bins=record.calibration.reliability)
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
        axes=axis_reports(model),
        about_axes=about_axes(model),
        about_words=about_words(model),
        ranked_by=RANKED_BY,
        replicates=record.replicates,
        stability_in_words=how_stable(model),
        columns=sorted(columns(model), key=lambda column: -column.moves),
        trade_offs=trade_offs(model),
        map=topic_map(model),
        by_topics=record.by_topics,
        ranks=record.ranks,
        ranks_in_words=how_many(model),
        residual=record.residual,
        objective=record.objective,
        lasso=record.lasso,
        judged=judged_how(model),
        figures=record.out_of_fold,
        curves=[own, *evaluated],
        calibration=record.calibration,
        signals=signals(model),
        merit=record.merit,
        subgroups=record.subgroups,
    )


def judged_how(model: ComplaintModel) -> str:
    """What the figures of a complaint are figures of."""
    sentences = [JUDGED]
    sentences += [CHOSEN] if len(model.record.by_topics) > 1 else []
    return " ".join(sentences if model.forecaster.recalibration == UNCHANGED else [*sentences, BEFORE])


def topics(
    model: ComplaintModel, notes: Sequence[str] = (), words: int = WORDS, filler: Iterable[str] | None = None
) -> list[TopicReport]:
    """Topics from the one that raises the odds of admission most to the one that lowers them most.

    Each has ``words`` on either side, without ``filler``, as for ``top_words``.
    """
    sides, strength, names = model.topics(words, filler), model.strength, model.names
    amounts = project(model.vectorizer.transform(notes), model.components) if len(notes) else None
    stability: Sequence[TopicStability | None] = model.record.stability or [None] * model.n_topics
    together = topics_together.of_complaint(model)
    return [
        TopicReport(
            number=int(k),
            name=names[k],
            label=model.labels[k],
            strength=float(strength[k]),
            odds=float(np.exp(strength[k])),
            effect=effect_in_words(float(strength[k])),
            positive=sides[k].positive,
            negative=sides[k].negative,
            negative_share=sides[k].negative_share,
            about=about_topic(sides[k], model.seeds[k]),
            stability=stability[k],
            stability_in_words=how_stable_is(stability[k], model.record.replicates),
            notes=None if together is None else int(together.documents[k, k]),
            neighbours=[] if together is None else topics_together.neighbours(names, together, int(k)),
            months=topics_together.by_month(model, int(k)),
            examples=[notes[i] for i in top_documents(amounts, k, EXAMPLES)] if amounts is not None else [],
        )
        for k in np.argsort(-strength, kind="stable")
    ]


def about_words(model: ComplaintModel, *, all_words: bool = False) -> str:
    """How the words of the topics were chosen, for a reader without statistics; ``all_words`` if filler is listed."""
    sentences = [
        "Words that come and go with a topic most regularly come first, by their correlation with it (1: always). A rare "
        "word of short notes comes later.",
        f"Words against a topic are listed if they hold at least {LEAST_SHARE:.0%} of its energy (the sum of squares of the "
        "projections of all notes), with the share in brackets. A smaller share says little.",
    ]
    if model.vectorizer.negation:
        sentences.append('"No" before a word means that the note denies it.')
    if not all_words:
        sentences.append('Filler such as "yr old" or "week ago" is not listed.')
    return " ".join(sentences)


def about_seeds(model: ComplaintModel) -> str:
    """Which topics were requested by words, and what that means; empty if none was."""
    seeds = "; ".join(f"{k}: {seed}" for k, seed in enumerate(model.record.seeds))
    return f"Topics marked as seeded were asked for by words ({seeds}). {SEEDED}" if seeds else ""


def about_topic(topic: Topic, seed: str = "") -> list[str]:
    """Remarks on a topic: its seed words, how much the words against it hold, and which words are not listed."""
    sentences = [f"Asked for by the words {seed}. {SEEDED}"] if seed else []
    if topic.negative_share is not None and topic.negative:
        sentences.append(f"The words against it hold {topic.negative_share:.1%} of its energy.")
    elif topic.negative_share:
        sentences.append(f"The words against it hold only {topic.negative_share:.1%} of its energy, and are not listed.")
    if topic.hidden:
        sentences.append(f"Filler, not listed: {', '.join(topic.hidden)}.")
    return sentences


def how_stable_is(stability: TopicStability | None, replicates: int) -> str:
    """How well a topic comes back in fits to other draws of the patients; empty if that was not measured."""
    if stability is None:
        return ""
    meaning = (
        "unstable: other draws of the patients give a rather different topic, so do not build on it"
        if stability.unstable
        else "stable: other draws of the patients give much the same topic"
    )
    return f"{meaning} ({stability.score:.2f} of 1 on average in {replicates} fits to other draws of the patients)"


def how_stable(model: ComplaintModel) -> str:
    """How many topics are stable, and what that means; or that it was not measured."""
    if not model.record.stability:
        return STABILITY_UNKNOWN
    stable = sum(not topic.unstable for topic in model.record.stability)
    return (
        f"Stable: {stable} of {model.n_topics}. The topics were fitted again to {model.record.replicates} other draws of "
        "these patients. A stability of 1 means that a topic came back unchanged each time. "
        f"A topic below {UNSTABLE} is marked unstable: it may be chance."
    )


def how_many(model: ComplaintModel) -> str:
    """Why there are so many topics; empty if a person gave the number."""
    if not model.record.ranks:
        return ""
    tried, topics = [row.n_topics for row in model.record.ranks], "topic" if model.n_topics == 1 else "topics"
    end = " It is the largest number tried: the notes may hold more." if model.n_topics == tried[-1] else ""
    return (
        f"{model.n_topics} {topics}, the fewest that forecast unseen words of unseen notes within one standard error of the "
        f"best number tried, from {tried[0]} to {tried[-1]}.{end}"
    )


def direction_of(strength: float) -> str:
    """Raises, lowers or neither; neither if the odds ratio is written as 1.00."""
    return "neither" if round(strength, 2) == 0 else "raises" if strength > 0 else "lowers"


def effect_in_words(strength: float) -> str:
    """What one standard deviation more of a topic does to the odds of admission."""
    if strength == 0:
        return "no effect on admission"
    if direction_of(strength) == "neither":
        return "hardly any effect on admission"
    change = np.exp(abs(strength)) - 1
    size = "slightly" if change < 0.1 else "moderately" if change < 0.35 else "strongly"
    times = f"odds \N{MULTIPLICATION SIGN} {np.exp(strength):.2f} for one standard deviation more"
    return f"{'raises' if strength > 0 else 'lowers'} the odds of admission {size} ({times})"


def columns(model: ComplaintModel) -> list[ColumnReport]:
    """Columns and measurements, in the order of the model."""
    return [_column(fitted, shape) for fitted, shape in zip(model.columns, model.record.columns, strict=True)]


def _column(fitted: Column, shape: Shape) -> ColumnReport:
    name, low, high = fitted.name, None, None
    if isinstance(fitted, Number):
        low, high = rounded(fitted.low, name), rounded(fitted.high, name)
    values = _values(shape)
    least, most = (pick(values, key=lambda at: at.effect) for pick in (min, max))
    label, unit = label_of(name), unit_of(name, low, high)
    return ColumnReport(**structs.asdict(shape), label=label, unit=unit, low=low, high=high, least=least, most=most)


def _values(shape: Shape) -> list[ValueEffect[str]]:
    """The values of a column in words, each with what it adds; the ends of a number are called low and high."""
    if not shape.curve:  # a category has a missing value among its levels
        return [*(ValueEffect(in_short(at.value), at.effect) for at in shape.levels), *shape.words]
    ends = {0: "low", len(shape.curve) - 1: "high"}
    shown = [in_short(rounded(at.value, shape.name)) for at in shape.curve]
    values = [
        ValueEffect(f"{ends[place]} ({shown[place]})" if place in ends else f"about {shown[place]}", at.effect)
        for place, at in enumerate(shape.curve)
    ]
    return values + ([] if shape.missing_effect is None else [ValueEffect("missing", shape.missing_effect)])


def trade_offs(model: ComplaintModel) -> TradeOffs:
    """Correlations of the topics with the largest effects: which come together, and which instead of each other."""
    order = [int(k) for k in np.argsort(-np.abs(model.strength), kind="stable")[:TRADED]]
    names = model.names
    table = model.correlation[np.ix_(order, order)]
    return TradeOffs(topics=[names[k] for k in order], numbers=order, correlation=np.round(table, 3).tolist())


def topic_map(model: ComplaintModel) -> list[PlacedTopic]:
    """The topics, placed by which of them occur in the same notes."""
    together = topics_together.of_complaint(model)
    if together is None:
        return []
    return topics_together.placed(model.names, model.topics(WORDS), together, model.strength.tolist())


def signals(model: ComplaintModel) -> list[str]:
    """The topics, outcome axes and columns that signal admission most, each with the side that does."""
    named = [_signal(topic) for topic in sorted(topics(model, words=3), key=lambda topic: topic.number)]
    named += model.axis_names
    named += [f"{column.label}: {column.most.value}" for column in columns(model)]
    return [named[k] for k in model.record.merit.topics]


def _signal(topic: TopicReport) -> str:
    if topic.strength > 0:
        return topic.name
    words = ", ".join(word for word, _ in topic.negative)
    return f"against {topic.name}" + (f" ({words})" if words else "")
