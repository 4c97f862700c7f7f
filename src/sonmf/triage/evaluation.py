"""The paper's protocol: stratified folds, repeated; words, topics and classifier are learned from the training folds alone.

A fit is described by its cell and by the study that all cells share, so that processes can divide the cells among them.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from itertools import count
from numbers import Integral
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from msgspec import structs
from numpy.typing import ArrayLike

from sonmf import files, jobs, metrics
from sonmf.errors import InputError
from sonmf.text import NotesVectorizer
from sonmf.text.cooccurrence import correlation
from sonmf.text.note_numbers import read_measurements
from sonmf.triage import forecaster, merit
from sonmf.triage.axes import notes_of_others
from sonmf.triage.columns import TEXT, Columns, Table, kinds_of
from sonmf.triage.complaint_fit import residual
from sonmf.triage.evaluation_results import (
    BOTH,
    COLUMNS,
    KEY,
    NOTES,
    TITLES,
    Evaluation,
    EvaluationSettings,
    FoldForecasts,
    JudgedMethod,
)
from sonmf.triage.evaluation_verdict import judge_rivals
from sonmf.triage.factorisations import fewest_named, project, vectorizer_for, word_settings
from sonmf.triage.forecaster import WORDS, EncodedPatients, ForecasterFit, Settings
from sonmf.triage.inputs import (
    AUTO,
    FEWEST,
    POOLED,
    check_lengths,
    check_outcome_axes,
    check_random_state,
    check_rule,
    check_seeds,
    is_auto,
    split_by_size,
    too_few,
    topic_numbers,
)
from sonmf.triage.known_columns import anything_measured
from sonmf.triage.lasso import fold_numbers
from sonmf.triage.lineage import now
from sonmf.triage.patients import Patients
from sonmf.triage.strict_json import as_json
from sonmf.triage.time_folds import before_and_within, complaints_to_judge, edges_of
from sonmf.types import Array, Matrix

UNNAMED = "(no complaint)"


class Cell(NamedTuple):
    """One fit: a method with a number of topics, on all folds but one."""

    complaint: str
    method: str
    n_topics: int
    repeat: int
    fold: int
    inputs: str = BOTH
    """The inputs of the forecast: notes, columns or both."""


Progress: TypeAlias = Callable[[int, int, Cell], None]


class Study(NamedTuple):
    """What every process needs to know: the patients, and how they are judged."""

    patients: Patients
    members: dict[str, Array]
    """The rows of each complaint."""
    stated: Columns
    """Measurements that the notes state; empty if they are not to be used."""
    settings: EvaluationSettings

    def split(self, rows: Array, fold: int, seed: int) -> tuple[Array, Array]:
        """Which of these patients a fold is fitted to, and which it is judged on."""
        times, y = self.patients.times, self.patients.outcomes[rows]
        if times is not None:
            return before_and_within(times[rows], np.array(self.settings.periods, times.dtype), fold)
        person = None if self.patients.person is None else self.patients.person[rows]
        in_fold = fold_numbers(y, person, self.settings.folds, seed) == fold
        return np.flatnonzero(~in_fold), np.flatnonzero(in_fold)

    def fit_settings(self, cell: Cell) -> Settings:
        """The settings of the fit of a cell."""
        asked = self.settings
        return Settings(
            method=cell.method,
            vectorizer=NotesVectorizer(**structs.asdict(asked.words)),
            rule=asked.rule,
            seed=asked.random_state + cell.repeat,
            kinds=asked.columns,
            text_topics=[min(asked.n_topics)],
            notes=cell.inputs != COLUMNS,
            seeds=asked.seed_topics,
            strict_seeds=False,
            outcome_axes=asked.outcome_axes,
        )

    def file_name(self, cell: Cell) -> str:
        """The name of the file that keeps the figures of a fit, without its ending; fits that differ have other names."""
        inputs = cell.inputs.replace(" ", "")
        place = list(self.members).index(cell.complaint)
        texts = TEXT in self.settings.columns.values() and cell.inputs != NOTES
        of_texts = f"-texts{min(self.settings.n_topics)}" if texts else ""
        return f"{place}-{cell.method}-{inputs}-k{cell.n_topics}{of_texts}-repeat{cell.repeat}-fold{cell.fold}"


def evaluate(
    notes: Iterable[object],
    disposition: Iterable[object],
    complaint: Iterable[object] | None = None,
    columns: Table = None,
    *,
    subgroups: Mapping[str, Iterable[object]] | None = None,
    positive: object = None,
    times: ArrayLike | None = None,
    vectorizer: NotesVectorizer | None = None,
    processes: int | None = None,
    folder: str | Path | None = None,
    progress: Progress | None = None,
    **settings: Any,
) -> Evaluation:
    """Compare methods on your notes, as the paper does: figures on patients that a method has not seen, with intervals.

    Parameters
    ----------
    notes, disposition, complaint, columns : iterables
        As for ``TriageModel.fit``. If there are columns or measurements, the first method is judged three times: with the
        notes, with the columns, and with both. The other methods are judged with both.
    subgroups : mapping of str to iterable, optional
        Columns for each of whose values figures are computed.
    positive, vectorizer
        As for ``TriageModel``.
    times : array of datetime64, optional
        When each patient came. The folds are then periods. Each is judged by a fit to all patients before it, which is how a
        model is used. Patients without a time (NaT) are left out.
    processes : int, optional
        By default one for each core that this process may use, with one thread each.
    folder : str or Path, optional
        A folder for finished fits. The next call with the same notes and settings finds them there.
    progress : callable, optional
        Called as ``progress(done, total, cell)``.
    **settings
        ``methods``: names of ``TriageModel``'s methods, and ``"words"`` for the plain bag of words.
        ``n_topics=10``: a number or several. ``folds=5``. ``repeats=1``: the paper uses 20.
        ``since``: when the first period begins; by default the last 30% of the patients are judged.
        ``rule``, ``min_notes``, ``random_state``, ``measurements``, ``kinds``, ``seed_topics``, ``outcome_axes``: as for
        ``TriageModel``. Only ``"sonmf"`` takes seed topics; each fold makes them from its training notes.

    Returns
    -------
    Evaluation

    Examples
    --------
    >>> from sonmf.datasets import make_triage_notes
    >>> from sonmf.triage import evaluate
    >>> notes = make_triage_notes(400, complaints=["Fever"], random_state=0)
    >>> judged = evaluate(
    ...     notes["note"], notes["disposition"], methods=["words"], folds=2, processes=1
    ... )
    >>> 0.5 < judged.summary()[0]["auroc"] < 1
    True
    """
    patients = Patients.given(notes, disposition, complaint, columns, subgroups, positive, fewest_named(vectorizer))
    if times is not None:
        arrivals = np.asarray(times, "datetime64[s]")
        check_lengths(len(patients), {"times": arrivals})
        patients = replace(patients, times=arrivals)
    asked = evaluation_settings(patients, vectorizer=vectorizer, **settings)
    return evaluate_patients(patients, asked, processes=processes, folder=folder, progress=progress)


def evaluation_settings(
    patients: Patients,
    *,
    vectorizer: NotesVectorizer | None = None,
    kinds: Mapping[str, str] | None = None,
    since: np.datetime64 | str | None = None,
    **settings: Any,
) -> EvaluationSettings:
    """How these patients are judged, as for ``evaluate``, or an ``InputError`` about what cannot be done.

    Folds are periods if the patients have times.
    """
    lists = {name: settings[name] or [] for name in ("methods", "seed_topics") if name in settings}
    settings |= {name: given if isinstance(given, str) else list(given) for name, given in lists.items()}
    settings |= {"n_topics": _numbers(settings["n_topics"])} if "n_topics" in settings else {}
    asked = EvaluationSettings(**settings)
    _check_request(asked, fewest_folds=2 if patients.times is None else 1)
    edges = [] if patients.times is None else np.datetime_as_string(edges_of(patients.times, asked.folds, since)).tolist()
    words = word_settings(vectorizer_for("sonmf", vectorizer))
    return structs.replace(asked, columns=kinds_of(patients.columns, kinds), words=words, periods=edges)


def _numbers(n_topics: int | Sequence[int] | str) -> list[int]:
    """The numbers of topics that are judged."""
    if is_auto(n_topics):
        raise InputError(f"n_topics={AUTO!r} is for a fit: give numbers of topics to be judged, such as [10, 50]")
    return topic_numbers(n_topics)


def _check_request(asked: EvaluationSettings, fewest_folds: int) -> None:
    """Refuse a request that cannot be carried out."""
    check_rule(asked.rule)
    for name, fewest in {"folds": fewest_folds, "repeats": 1}.items():
        number = getattr(asked, name)
        if isinstance(number, bool) or not isinstance(number, Integral) or number < fewest:
            raise InputError(f"{name}={number!r} must be a whole number of at least {fewest}")
    if isinstance(asked.methods, str):
        raise InputError(f"methods={asked.methods!r} must be a list of names, such as ['sonmf', 'words']")
    if not asked.methods:
        raise InputError(f"methods is empty: choose from {', '.join(TITLES)}")
    if unknown := [method for method in asked.methods if method not in TITLES]:
        raise InputError(f"methods has {unknown[0]!r}: choose from {', '.join(TITLES)}")
    check_outcome_axes(asked.outcome_axes)
    check_seeds(asked.seed_topics, "sonmf", asked.n_topics)
    check_random_state(asked.random_state + asked.repeats - 1)  # of the last repeat


def evaluate_patients(
    patients: Patients,
    settings: EvaluationSettings,
    *,
    processes: int | None = None,
    folder: str | Path | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """Evaluate methods on a table of patients, as ``evaluate`` does on lists."""
    members, left_out = _members(patients, settings)
    stated = read_measurements(patients.notes) if settings.measurements else {}
    study = Study(replace(patients, frame=None), members, stated, settings)
    with nullcontext(folder) if folder is not None else tempfile.TemporaryDirectory(dir=files.temporary_folder()) as place:
        fits = _run(study, Path(place), processes or jobs.cores(), progress)
    by_method: dict[tuple[Any, ...], list[FoldForecasts]] = {}
    for cell, fit in fits.items():
        by_method.setdefault(tuple(getattr(cell, name) for name in KEY), []).append(fit)
    methods = [JudgedMethod.of(key, of_key, patients) for key, of_key in by_method.items()]
    all_fits: dict[tuple[Any, ...], list[FoldForecasts]] = {}
    for (_, *key), of_key in by_method.items():
        all_fits.setdefault((POOLED, *key), []).extend(of_key)
    together = [JudgedMethod.of(key, of_key, patients) for key, of_key in all_fits.items()] if len(members) > 1 else []
    verdict = judge_rivals(methods, list(by_method.values()), patients.outcomes)
    return Evaluation(patients.recorded, now(), settings, methods, together, verdict, left_out)


def _run(study: Study, place: Path, processes: int, progress: Progress | None) -> dict[Cell, FoldForecasts]:
    """The fit of each cell; those that are in the folder are not made again."""
    cells, settings, table = plan(study), study.settings, study.patients
    patients = [table.notes, table.outcomes, study.members, table.subgroups, table.columns, table.times, table.person]
    asked = [settings.columns, settings.measurements, settings.rule, settings.folds, settings.random_state]
    fits = jobs.claim(
        place, [*patients, *asked, as_json(settings.words), settings.periods, settings.seed_topics, settings.outcome_axes]
    )
    tasks = {fits / f"{study.file_name(cell)}.json": cell for cell in cells}
    done = count(1)

    def advance(cell: Cell) -> None:
        if progress is not None:
            progress(next(done), len(cells), cell)

    forecasts = jobs.run(run_cell, tasks, processes, advance, (study,), read_cell)
    return {cell: forecasts[path] for path, cell in tasks.items()}


def _members(patients: Patients, settings: EvaluationSettings) -> tuple[dict[str, Array], dict[str, str]]:
    """The rows of each complaint that can be evaluated, and why the others cannot; an ``InputError`` if none can."""
    named = patients.names != POOLED
    names = np.where(named, patients.names, UNNAMED if named.any() else POOLED)
    members = {str(name): np.flatnonzero(names == name) for name in sorted(set(names))}
    counts = {name: (len(rows), int(patients.outcomes[rows].sum())) for name, rows in members.items()}
    fewest = max(FEWEST, 2 * settings.folds)
    if list(counts) == [POOLED]:
        reason = too_few(*counts[POOLED], settings.min_notes, fewest)
        own, left_out = [] if reason else [POOLED], {POOLED: reason} if reason else {}
    else:
        to_be_named = fewest_named(NotesVectorizer(**structs.asdict(settings.words)))
        own, left_out = split_by_size(counts, settings.min_notes, to_be_named, fewest)
    able = {name: members[name] for name in own}
    if patients.times is not None:
        edges = np.array(settings.periods, patients.times.dtype)
        able, early = complaints_to_judge(able, patients.outcomes, patients.times, edges)
        left_out |= early
    if not able:
        raise InputError(f"no complaint can be evaluated: {'; '.join(f'{k}: {v}' for k, v in left_out.items())}")
    return able, left_out


def plan(study: Study) -> list[Cell]:
    """Every fit to make: complaints, then methods, then topics, then folds; words and columns have no number of topics."""
    asked = study.settings
    kinds = [(method, k, BOTH) for method in asked.methods for k in _topics(method, asked.n_topics)]
    if study.patients.columns or anything_measured(study.stated):
        first = asked.methods[0]
        kinds = [*((first, k, NOTES) for k in _topics(first, asked.n_topics)), (first, 0, COLUMNS), *kinds]
    else:
        kinds = [(method, k, NOTES) for method, k, _ in kinds]
    return [
        Cell(complaint, method, k, repeat, fold, inputs)
        for repeat in range(asked.repeats)
        for complaint in study.members
        for method, k, inputs in kinds
        for fold in range(asked.folds)
    ]


def _topics(method: str, n_topics: Sequence[int]) -> list[int]:
    return [0] if method == WORDS else sorted(n_topics, reverse=True)


def run_cell(cell: Cell, study: Study) -> dict[str, object]:
    """Fit on the training folds, and forecast the fold that is left by the same pipeline as in a model."""
    rows, settings = study.members[cell.complaint], study.fit_settings(cell)
    y = study.patients.outcomes[rows]
    train, test = study.split(rows, cell.fold, settings.seed)
    (notes, given, stated), unseen = (inputs_of(study, rows[part], cell.inputs) for part in (train, test))
    began = time.perf_counter()
    person = None if study.patients.person is None else study.patients.person[rows[train]]
    (fitted,) = forecaster.fit(
        notes,
        y[train],
        given,
        stated,
        [cell.n_topics],
        settings,
        person=person,
        others=lambda: notes_of_others(study.patients, rows, rows[test]),
    )
    seconds = time.perf_counter() - began
    read = fitted.forecaster.encode(unseen[0], unseen[1], stated=unseen[2])
    figures = _of_the_topics(fitted.factorisation, fitted.patients.X) if fitted.factorisation is not None else {}
    used = int(np.count_nonzero(fitted.classifier.effects))
    return FoldForecasts(
        places=rows[test].tolist(),
        log_odds=fitted.forecaster.log_odds(read).tolist(),
        figures=figures | {"topics_used": used, "seconds": seconds, "gap": fitted.classifier.path.gap},
        merit=_merit(fitted, read, y[test]),
    )._asdict()


def inputs_of(study: Study, rows: Array, inputs: str) -> tuple[list[object], Columns, Columns]:
    """Notes, columns and measurements; empty for what the inputs leave out."""
    given, stated = (
        {} if inputs == NOTES else {name: values[rows] for name, values in columns.items()}
        for columns in (study.patients.columns, study.stated)
    )
    return [study.patients.notes[i] for i in rows], given, stated


def read_cell(content: Mapping[str, Any]) -> FoldForecasts:
    """What ``run_cell`` returned, or an error if the file holds something else."""
    fit = FoldForecasts(**content)
    return fit._replace(places=np.array(fit.places, int), log_odds=np.array(fit.log_odds, float))


def _of_the_topics(factorisation: Any, X: Matrix) -> dict[str, float]:
    """Residual, sparsity, collinearity of the features (the paper's argument for orthogonal topics), and coherence."""
    topics = factorisation.components_
    gram = correlation(project(X, topics))
    varies = np.diag(gram) > 0
    gram = gram[np.ix_(varies, varies)] if varies.any() else np.eye(1)
    values = np.linalg.eigvalsh(gram)
    return {
        "residual": residual(factorisation, X),
        "F_sparsity": metrics.sparsity(topics),
        "G_sparsity": metrics.sparsity(factorisation.transform(X)),
        "condition": float(np.sqrt(values[-1] / max(values[0], 1e-16 * values[-1]))),
        "correlation": float(np.abs(gram - np.diag(np.diag(gram))).max()),
        "npmi": metrics.npmi(topics, X),
        "diversity": metrics.diversity(topics),
        "overlap": metrics.overlap(topics),
    }


def _merit(fitted: ForecasterFit, patients: EncodedPatients, y: Array) -> list[list[int]]:
    """Patients and admissions of the test fold by the number of signals shown."""
    judged = merit.judge(fitted.forecaster.parts(fitted.patients), fitted.forecaster.parts(patients), y)
    padding = [0] * (merit.SIGNALS + 1 - len(judged.patients))
    return [judged.patients + padding, judged.admitted + padding]
