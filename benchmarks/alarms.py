"""How often quiet years alarm, how soon a shift is found, and what the monitor says of real patients.

    python benchmarks/alarms.py                     the tables of docs/guide/monitoring.md
    python benchmarks/alarms.py --neiss FILE        NEISS, fitted before December 2019 and watched since, and a random split

Forecasts are drawn with log-odds around a centre, outcomes from the forecasts, or from forecasts plus a shift.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

from sonmf.monitoring import Budget, Calendar, Period, figures_of, verdict
from sonmf.monitoring.alarm_limits import OUTCOMES
from sonmf.monitoring.observations import Observations, references_of
from sonmf.monitoring.patients_by_period import PatientsByPeriod
from sonmf.sources import open_table
from sonmf.text import NotesVectorizer
from sonmf.triage import Provenance, TriageModel
from sonmf.triage.measures import probability
from sonmf.triage.patients import Patients

BUDGET = Budget(Calendar("month"), 0)
LIMITS = {name: BUDGET.limit(name, "") for name in OUTCOMES}
FITTED = 10_000
QUIET = ((50, -1.0), (100, -1.0), (500, -1.0), (500, -2.5))
SHIFTS = ((200, 0.06), (500, 0.03), (500, 0.06), (500, 0.1), (2000, 0.03))


def month(random: np.random.Generator, n: int, centre: float, number: int, shift: float = 0.0) -> Period:
    odds = random.normal(centre, 1.2, n)
    p = probability(odds)
    y = (random.random(n) < np.clip(p + shift, 0, 1)).astype(float)
    figures = figures_of(odds, y, LIMITS, widening=(1 + n / FITTED) ** 0.5)
    return Period(
        "", "month", f"{2024 + number // 12}-{number % 12 + 1:02d}", "", n, n, int(y.sum()), float(p.sum()), figures, []
    )


def quiet_years(n: int, centre: float, years: int) -> float:
    random, alarms = np.random.default_rng(0), 0
    for _ in range(years):
        periods = [month(random, n, centre, k) for k in range(12)]
        alarms += any(verdict(periods[:k], BUDGET, 10**9).alarm for k in range(1, 13))
    return alarms / years


def found_within(n: int, shift: float, runs: int, months: int = 3) -> list[float]:
    random, found = np.random.default_rng(0), np.zeros(months)
    for _ in range(runs):
        periods = [month(random, n, -1.0, k) for k in range(6)]
        for k in range(months):
            periods.append(month(random, n, -1.0, 6 + k, shift))
            if verdict(periods, BUDGET, FITTED).alarm:
                found[k:] += 1
                break
    return (found / runs).tolist()


def tables(years: int) -> None:
    print("| patients a month | admitted | quiet years with an alarm |\n|---|---|---|")
    for n, centre in QUIET:
        admitted = probability(np.random.default_rng(0).normal(centre, 1.2, 10_000)).mean()
        print(f"| {n} | {admitted:.0%} | {quiet_years(n, centre, years):.1%} |", flush=True)
    print("\n| patients a month | shift | found in the first month | within two | within three |\n|---|---|---|---|---|")
    for n, shift in SHIFTS:
        shares = " | ".join(f"{share:.0%}" for share in found_within(n, shift, years))
        print(f"| {n} | {shift * 100:.0f} points | {shares} |", flush=True)


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
