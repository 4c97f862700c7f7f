"""What a forecast is worth when columns that the model was fitted with are not given: AUROC, log loss, expected and seen.

    python benchmarks/absent_columns.py [--topics 30]

Two thirds of the patients of each data set fit the model, the others are forecast: with all columns, without each of them,
without any, and by a model that was fitted without columns. The data lie in ``../shared/data``.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import numpy as np
from scipy.special import expit
from sklearn.metrics import log_loss, roc_auc_score

from sonmf.sources import open_table
from sonmf.triage import forecaster
from sonmf.triage.columns import kinds_of
from sonmf.triage.factorisations import vectorizer_for
from sonmf.triage.patients import Patients
from sonmf.triage.provenance import Provenance

DATA = Path("../shared/data")
NEISS = Provenance.request(text="narrative_nodx", positive=("admitted",), negative=("discharged",), columns=("age", "sex"))
VISITS = Provenance.request(
    text="text",
    positive=("admitted",),
    negative=("discharged",),
    columns=("AGE", "SEX", "IMMEDR", "ARREMS"),
    kinds={"SEX": "category", "IMMEDR": "category", "ARREMS": "category"},
    missing=("-9", "-8", "-7"),
)
SETS = {
    "altered consciousness": (
        "altered_consciousness/triage.csv.gz",
        Provenance.request(preset="altered-consciousness"),
    ),
    "NEISS, neck": ("neiss_neck/neiss_neck_2003_2022.csv.gz", NEISS),
    "NHAMCS 2010": ("nhamcs_ed2010/visits.csv.gz", VISITS),
}
MOST = 14_000  # patients of a data set


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--topics", type=int, default=30)
    topics = parser.parse_args().topics
    warnings.simplefilter("ignore")
    for title, (file, asked) in SETS.items():
        if not (DATA / file).exists():
            print(f"{title}: not run, {DATA / file} does not exist")
            continue
        print(f"{title}\n{'columns':34s} AUROC  log loss  expected   seen      z")
        compare(Patients.read(open_table(DATA / file), asked), topics)


def compare(patients: Patients, topics: int) -> None:
    order = np.random.default_rng(0).permutation(len(patients))[:MOST]
    cut = 2 * len(order) // 3
    train, test = patients.only(np.sort(order[:cut])), patients.only(np.sort(order[cut:]))
    kinds = kinds_of(train.columns, patients.asked.kinds)
    vectorizer = vectorizer_for("sonmf", None)
    settings = forecaster.Settings("sonmf", vectorizer, "min", 0, kinds, [topics])
    (whole,) = forecaster.fit(train.notes, train.outcomes, train.columns, {}, [topics], settings)
    (words,) = forecaster.fit(train.notes, train.outcomes, {}, {}, [topics], settings)
    print(f"fitted to {len(train):,}, without what notes state in numbers: NEISS gives age and sex there too")
    tell("all", whole.forecaster, test, test.columns)
    if len(test.columns) > 1:
        for gone in test.columns:
            tell(f"without {gone}", whole.forecaster, test, {n: v for n, v in test.columns.items() if n != gone})
    tell("none", whole.forecaster, test, {})
    empty = {name: np.full(len(test), None, object) for name in test.columns}
    tell("all there and empty", whole.forecaster, test, empty)
    tell("none, by a model without columns", words.forecaster, test, {})


def tell(title: str, model: forecaster.Forecaster, test: Patients, columns: dict[str, np.ndarray]) -> None:
    odds = model.log_odds(model.encode(test.notes, columns, stated={}))
    p, y = expit(odds), test.outcomes
    z = (y.sum() - p.sum()) / np.sqrt((p * (1 - p)).sum())
    area, loss = roc_auc_score(y, odds), log_loss(y, p)
    print(f"{title:34s} {area:.4f}  {loss:.4f}  {p.sum():8.1f}  {y.sum():6.0f}  {z:+5.1f}", flush=True)


if __name__ == "__main__":
    main()
