"""Run trials in processes of their own, one thread each; a finished trial is on disk, so a killed run can go on."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sonmf.experiments import load
from sonmf.experiments.design import Experiment, Outcome, Trial

THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


def trials_of(experiment: Experiment, count: int, seed: int) -> list[Trial]:
    """Trials in the order they run: all cells of the first trial, then of the second, largest K first."""
    cells = sorted(experiment.cells, key=lambda cell: -cell[1])
    return [Trial(experiment.name, scenario, k, number, seed) for number in range(count) for scenario, k in cells]


def run(trials: list[Trial], folder: Path, jobs: int, advance: Callable[[Trial], None]) -> None:
    """Run those trials that are not on disk yet; ``advance`` hears of every trial, run or found."""
    waiting = []
    for trial in trials:
        if path_of(trial, folder).exists():
            advance(trial)
        else:
            waiting.append(trial)
    if not waiting:
        return
    spawn = multiprocessing.get_context("spawn")
    # A Ctrl-C is for us, not for the workers: the trials under way are finished and kept.
    with one_thread_each(), ProcessPoolExecutor(jobs, spawn, signal.signal, (signal.SIGINT, signal.SIG_IGN)) as pool:
        futures = {pool.submit(run_one, trial, folder): trial for trial in waiting}
        try:
            for future in as_completed(futures):
                future.result()
                advance(futures[future])
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def run_one(trial: Trial, folder: Path) -> None:
    """Run a trial and write what came out under a temporary name, then rename: a file is whole or not there."""
    import warnings

    warnings.simplefilter("ignore")
    outcomes = load(trial.experiment).run(trial)
    path = path_of(trial, folder)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(f".{os.getpid()}.partial")
    partial.write_text(json.dumps([outcome._asdict() for outcome in outcomes]))
    partial.replace(path)


def outcomes_of(trial: Trial, folder: Path) -> list[Outcome]:
    return [Outcome(**outcome) for outcome in json.loads(path_of(trial, folder).read_text())]


def path_of(trial: Trial, folder: Path) -> Path:
    return folder / trial.experiment / "trials" / f"{trial.name}.json"


@contextmanager
def one_thread_each() -> Iterator[None]:
    """Processes started inside use one thread: as many processes as cores already keep them busy."""
    before: dict[str, Any] = {name: os.environ.get(name) for name in THREAD_VARIABLES}
    os.environ.update(dict.fromkeys(THREAD_VARIABLES, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
