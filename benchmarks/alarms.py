"""How often quiet years alarm, how soon a shift is found, and what the monitor says of real patients.

    python benchmarks/alarms.py                     the tables of docs/guide/monitoring.md
    python benchmarks/alarms.py --neiss FILE        NEISS, fitted before December 2019 and watched since, and a random split

Forecasts are drawn with log-odds around a centre, outcomes from the forecasts, or from forecasts plus a shift.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from sonmf.monitoring import Budget, Calendar, Drift, Period, drift, figures_of, verdict
from sonmf.monitoring.alarm_limits import COLUMNS, FORECAST, OUTCOMES, TOPICS
from sonmf.monitoring.observations import Observations, references_of
from sonmf.monitoring.patients_by_period import PatientsByPeriod
from sonmf.sources import open_table
from sonmf.text import NotesVectorizer
from sonmf.triage import Provenance, TriageModel
from sonmf.triage.measures import probability
from sonmf.triage.patients import Patients
from sonmf.types import Array

CALENDAR = Calendar("month")
FITTED = 10_000
QUIET = ((50, -1.0, 0), (100, -1.0, 0), (500, -1.0, 0), (500, -2.5, 0), (500, -1.0, 5))
"""Patients a month, centre of the log-odds, and number of complaints."""
SHIFTS = ((200, 0.06), (500, 0.03), (500, 0.06), (500, 0.1), (2000, 0.03))
SLOW = ((60, 0.05), (200, 0.03), (500, 0.015))
HISTOGRAMS = {FORECAST: 1, TOPICS: 20, COLUMNS: 10}
"""How many histograms of each kind a model compares patients with, each with ten cells."""


def month(
    random: np.random.Generator, budget: Budget, patients: list[int], centre: float, number: int, shift: float = 0.0
) -> list[Period]:
    """One month: over all patients, then of each complaint if there are several."""
    parts = [
        (odds := random.normal(centre, 1.2, n), random.random(n) < np.clip(probability(odds) + shift, 0, 1)) for n in patients
    ]
    whole = [tuple(map(np.concatenate, zip(*parts, strict=True)))]
    return [
        period(random, budget, odds, y.astype(float), number, f"complaint {k}" if k else "")
        for k, (odds, y) in enumerate(whole + (parts if len(parts) > 1 else []))
    ]


def period(random: np.random.Generator, budget: Budget, odds: Array, y: Array, number: int, complaint: str) -> Period:
    n, limits = len(y), {name: budget.limit(name, complaint) for name in OUTCOMES}
    figures = figures_of(odds, y, limits, widening=(1 + n / FITTED) ** 0.5)
    name, expected = f"{2024 + number // 12}-{number % 12 + 1:02d}", float(probability(odds).sum())
    moved = list(quiet_drift(random, budget, n, complaint)) if budget.complaints else []
    return Period("", "month", name, complaint, n, n, int(y.sum()), expected, figures, moved)


def quiet_drift(random: np.random.Generator, budget: Budget, n: int, complaint: str) -> Iterator[Drift]:
    """The drift of patients who are spread as those of the fit."""
    for kind, parts in HISTOGRAMS.items():
        then, now = (random.multinomial(size, np.full(10, 0.1), parts) for size in (FITTED, n))
        for k in range(parts):
            moved = drift.of_counts(kind, str(k), then[k], now[k], budget.chance(kind, complaint, parts))
            if moved:
                yield moved


def quiet_years(n: int, centre: float, complaints: int, years: int) -> tuple[float, float]:
    """How often the first and the third year after a fit have an alarm, of any figure and complaint."""
    random, budget, alarms = np.random.default_rng(0), Budget(CALENDAR, complaints), np.zeros(2)
    patients = [n // max(complaints, 1)] * max(complaints, 1)
    for _ in range(years):
        months = [month(random, budget, patients, centre, k) for k in range(36)]
        by_complaint = list(zip(*months, strict=True))
        for third, ends in enumerate((range(1, 13), range(25, 37))):
            alarms[third] += any(verdict(some[:k], budget, 10**9).alarm for some in by_complaint for k in ends)
    first, third = alarms / years
    return first, third


def found_within(n: int, shift: float, runs: int, months: tuple[int, ...]) -> list[float]:
    """How often a shift after six quiet months is found within so many months."""
    random, budget, found = np.random.default_rng(0), Budget(CALENDAR, 0), []
    for _ in range(runs):
        periods = [month(random, budget, [n], -1.0, k)[0] for k in range(6)]
        for k in range(months[-1]):
            periods += month(random, budget, [n], -1.0, 6 + k, shift)
            if verdict(periods, budget, FITTED).alarm:
                break
        else:
            k = months[-1]
        found.append(k)
    return [float(np.mean(np.array(found) < limit)) for limit in months]


def tables(years: int) -> None:
    print("| patients a month | admitted | complaints | first years with an alarm | third years |\n|---|---|---|---|---|")
    for n, centre, complaints in QUIET:
        admitted = probability(np.random.default_rng(0).normal(centre, 1.2, 10_000)).mean()
        first, third = quiet_years(n, centre, complaints, years)
        print(f"| {n} | {admitted:.0%} | {complaints or 'none'} | {first:.1%} | {third:.1%} |", flush=True)
    print("\n| patients a month | shift | found in the first month | within two | within three |\n|---|---|---|---|---|")
    for n, shift in SHIFTS:
        shares = " | ".join(f"{share:.0%}" for share in found_within(n, shift, years, (1, 2, 3)))
        print(f"| {n} | {shift * 100:.0f} points | {shares} |", flush=True)
    print("\n| patients a month | shift | found within six months | within a year | within two years |\n|---|---|---|---|---|")
    for n, shift in SLOW:
        shares = " | ".join(f"{share:.0%}" for share in found_within(n, shift, years, (6, 12, 24)))
        print(f"| {n} | {shift * 100:.1f} points | {shares} |", flush=True)


def neiss(path: Path) -> None:
    frame = pd.read_csv(path, dtype=str)
    later = frame["date"] >= "2019-12"
    print("| fitted to | judged on | admitted | expected | alarm | months with a topic beyond its limit |")
    print("|---|---|---|---|---|---|")
    report("patients before December 2019", "those since", frame[~later], frame[later])
    mixed = frame.sample(frac=1, random_state=0)
    rest = mixed[int((~later).sum()) :].assign(date=sorted(frame.loc[later, "date"]))
    report("as many at random", "the others", mixed[: int((~later).sum())], rest)
    abbreviated = frame["narrative_nodx"].fillna("").str.contains(r"\bFX\b", case=False)
    print(f"\nnotes with FX: {abbreviated[~later].mean():.0%} before, {abbreviated[later].mean():.0%} since")


def report(fitted: str, judged: str, before: pd.DataFrame, since: pd.DataFrame) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name, some in (("before.csv", before), ("since.csv", since)):
            some.to_csv(Path(folder, name), index=False)
        patients = Patients.read(open_table(Path(folder, "before.csv")), Provenance.request(preset="neiss", time="date"))
        words = NotesVectorizer(negation="mark", drop_words=list(patients.drop_words))
        model = TriageModel(50, vectorizer=words, kinds=patients.asked.kinds).fit_patients(patients)
        calendar = Calendar("month")
        observations = Observations(model, calendar, references_of(model))
        for scored, months in PatientsByPeriod(model, open_table(Path(folder, "since.csv")), Provenance.request(), calendar):
            observations.add(scored, months)
        periods = observations.periods()
    found = verdict(periods, observations.budget, model.pooled_model_.n_notes, model.pooled_model_.names)
    admitted, expected = sum(one.admitted for one in periods), sum(one.expected for one in periods)
    with_drift = [one for one in periods if one.drift]
    moved = [one.period for one in with_drift if any(drift.kind == "topic" and drift.alarm for drift in one.drift)]
    first = f", the first in {moved[0]}" if moved else ""
    alarm = "; ".join(one.sentence for one in found.findings) or "none"
    print(
        f"| {fitted} | {judged} | {admitted:,} | {expected:,.1f} | {alarm} | {len(moved)} of {len(with_drift)}{first} |",
        flush=True,
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--years", type=int, default=400)
    parser.add_argument("--neiss", type=Path)
    asked = parser.parse_args()
    if asked.neiss:
        neiss(asked.neiss)
    else:
        tables(asked.years)
