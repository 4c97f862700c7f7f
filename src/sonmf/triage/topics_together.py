"""Which topics come together, and which topics of other complaints are like one, as plain data for map and compass."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from sonmf.text import Topic
from sonmf.text.cooccurrence import Cooccurrence, places
from sonmf.types import Array

if TYPE_CHECKING:
    from sonmf.triage.complaint import ComplaintModel
    from sonmf.triage.model import TriageModel

BEST = 4  # words of a topic on the map
CORNER = 10  # words of each side of a topic that a compass can show
NEIGHBOURS = 3
RELATED = 0.1  # a correlation closer to 0 is not worth a line
ALIKE = 0.5  # the cosine from which two topics are called alike
DIGITS = 3


class Neighbour(Struct, frozen=True):
    """A topic that comes with another one more often than by chance, or less often."""

    number: int
    name: str
    correlation: float


class PlacedTopic(Struct, frozen=True):
    """A topic on the map: topics that come in the same documents lie close to each other."""

    number: int
    name: str
    words: list[str]
    x: float
    y: float
    energy: float
    """The share of the topic in ||G||^2."""
    documents: int
    """The number of documents that show the topic; 0 where there are too few to say."""
    strength: float | None
    """What one standard deviation more does to the log-odds of an outcome, as it is written; None where there is none."""


class Compass(Struct, frozen=True):
    """What a page needs to show the words of any two topics, and how often the two come together."""

    topics: list[str]
    words: list[str]
    weights: list[list[float]]
    """The weight of each word in each topic."""
    documents: list[list[int]]
    """The documents that show both of two sides: first the sides for each topic, then those against each."""
    total: int
    """Documents in all."""


class Elsewhere(Struct, frozen=True):
    """The topic of another complaint that is most like one."""

    complaint: str
    number: int
    name: str
    cosine: float


def of_complaint(model: ComplaintModel) -> Cooccurrence | None:
    """Which topics came together in the notes of the fit; None for a model from before this was kept."""
    found = model.record.occurrence
    return None if found is None else Cooccurrence(*map(np.array, (found.energy, found.correlation, found.notes)))


def placed(
    names: Sequence[str], topics: Sequence[Topic], found: Cooccurrence, strength: Sequence[float] | None = None
) -> list[PlacedTopic]:
    """The topics on the map, by number."""
    k = len(names)
    at, documents = np.round(places(found.correlation), DIGITS), np.diag(found.documents)[:k]
    return [
        PlacedTopic(
            number=number,
            name=names[number],
            words=[word for word, _ in topics[number].positive[:BEST]],
            x=float(at[number, 0]),
            y=float(at[number, 1]),
            energy=round(float(found.energy[number]), DIGITS + 1),
            documents=int(documents[number]),
            strength=None if strength is None else round(float(strength[number]), 2),
        )
        for number in range(k)
    ]


def neighbours(names: Sequence[str], found: Cooccurrence, topic: int) -> list[Neighbour]:
    """The topics that come with this one most often, and then those that come least often with it."""
    r = np.where(np.arange(len(names)) == topic, 0.0, found.correlation[topic])
    order = np.argsort(-r, kind="stable")
    most = [int(k) for k in order[:NEIGHBOURS] if r[k] >= RELATED]
    least = [int(k) for k in order[::-1][:NEIGHBOURS] if r[k] <= -RELATED]
    return [Neighbour(k, names[k], round(float(r[k]), DIGITS)) for k in [*most, *least]]


def by_month(model: ComplaintModel, topic: int) -> list[tuple[str, float | None]]:
    """The share of the notes of each month that show a topic; None where the model does not keep it. Empty if it keeps none."""
    months = model.record.occurrence.months if model.record.occurrence else []
    shares = {month.month: round(month.topics[topic] / month.notes, 4) for month in months if month.topics[topic]}
    if not shares:
        return []
    every = np.arange(months[0].month, np.datetime64(months[-1].month) + 1, dtype="datetime64[M]")
    return [(month, shares.get(month)) for month in every.astype(str).tolist()]


def compass(
    names: Sequence[str], topics: Sequence[Topic], components: Array, words: Sequence[str], found: Cooccurrence, total: int
) -> Compass:
    """The weights of the words that lead any topic, as ``topics`` list them, and how often two topics come together."""
    leading = {word for topic in topics for side in (topic.positive, topic.negative) for word, _ in side[:CORNER]}
    columns = [j for j, word in enumerate(words) if word in leading]
    return Compass(
        topics=list(names),
        words=[words[j] for j in columns],
        weights=np.round(components[:, columns].T, DIGITS).tolist(),
        documents=found.documents.tolist(),
        total=total,
    )


def compass_of(model: ComplaintModel) -> Compass | None:
    """The compass of a complaint; None for a model from before this was kept."""
    found = of_complaint(model)
    if found is None:
        return None
    return compass(model.names, model.topics(CORNER), model.components, model.spellings, found, model.n_notes)


def elsewhere(model: TriageModel, complaint: str) -> list[list[Elsewhere]]:
    """For each topic of a complaint, the nearest topic of every other one, if its cosine is at least 0.5; nearest first."""
    return everywhere(model, [complaint])[complaint]


def everywhere(model: TriageModel, complaints: Sequence[str]) -> dict[str, list[list[Elsewhere]]]:
    """The topics elsewhere that are like those of each of these complaints."""
    numbers: dict[str, int] = {}  # of the words of all complaints
    places, units, found = {}, {}, {}
    for name, one in model.by_name_.items():
        places[name] = np.array([numbers.setdefault(word, len(numbers)) for word in one.words])
        units[name] = one.components / np.maximum(np.linalg.norm(one.components, axis=1, keepdims=True), 1e-300)
    for complaint in complaints:
        here = np.zeros((len(units[complaint]), len(numbers)))
        here[:, places[complaint]] = units[complaint]
        cosines = {name: here[:, places[name]] @ units[name].T for name in units if name != complaint}
        found[complaint] = [_nearest(model, {name: of[topic] for name, of in cosines.items()}) for topic in range(len(here))]
    return found


def _nearest(model: TriageModel, cosines: dict[str, Array]) -> list[Elsewhere]:
    best = {name: int(of_topics.argmax()) for name, of_topics in cosines.items() if of_topics.max() >= ALIKE}
    alike = [
        Elsewhere(name, topic, model.by_name_[name].names[topic], round(float(cosines[name][topic]), DIGITS))
        for name, topic in best.items()
    ]
    return sorted(alike, key=lambda one: -one.cosine)
