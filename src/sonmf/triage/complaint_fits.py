"""The models of all complaints, one after another."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING

from sonmf.triage import complaint
from sonmf.triage.column_effects import Text
from sonmf.triage.complaint import ComplaintModel
from sonmf.triage.forecaster import Settings, fits_to_choose
from sonmf.triage.inputs import POOLED, is_auto
from sonmf.triage.training_patients import Patients
from sonmf.triage.warm_start import WarmStart

if TYPE_CHECKING:
    from sonmf.triage.model import TriageModel

Progress = Callable[[int, int, str], None]


def fit(
    asked: TriageModel,
    patients: Patients,
    names: list[str],
    topics: list[int],
    kinds: Mapping[str, str],
    progress: Progress | None,
    stability: int,
    earlier: Mapping[str, ComplaintModel],
) -> dict[str, ComplaintModel]:
    """By name; ``asked`` is the ``TriageModel`` with its parameters.

    A complaint with an earlier model has as many topics as that, and starts from them.
    """
    usual = _usual_settings(asked, topics, kinds)
    plans = {name: _plan(usual, topics, earlier.get(name), strict_seeds=name == POOLED) for name in names}
    total = sum(fits_to_choose(numbers, settings.auto) + 1 + stability for numbers, settings in plans.values())
    done = count(1)
    models: dict[str, ComplaintModel] = {}
    for name, (numbers, settings) in plans.items():

        def advance(name: str = name) -> None:
            if progress is not None:
                progress(next(done), total, name)

        part, measurements = patients.part(name), asked.measurements
        models[name] = complaint.fit(
            name, part, numbers, settings, measurements=measurements, replicates=stability, advance=advance
        )
    return models


def _usual_settings(asked: TriageModel, topics: list[int], kinds: Mapping[str, str]) -> Settings:
    auto, seeds = is_auto(asked.n_topics), list(asked.seed_topics or [])
    of_texts = topics if auto else [min(topics)]
    return Settings(asked.method, asked.vectorizer, asked.rule, asked.random_state, kinds, of_texts, auto, seeds=seeds)


def _plan(
    usual: Settings, topics: list[int], earlier: ComplaintModel | None, *, strict_seeds: bool
) -> tuple[list[int], Settings]:
    """Numbers of topics to try, and how to fit."""
    if earlier is None:
        return topics, replace(usual, strict_seeds=strict_seeds)
    start = WarmStart(earlier.words, earlier.components)
    texts = [len(column.components) for column in earlier.columns if isinstance(column, Text)]
    text_topics = [max(texts, default=min(usual.text_topics))]
    return [earlier.n_topics], replace(usual, auto=False, text_topics=text_topics, strict_seeds=False, start=start)
