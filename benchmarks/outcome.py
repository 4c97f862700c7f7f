"""What two directions of words made from the outcome add to a forecast, beside what a user would pick instead.

python benchmarks/outcome.py [--data ../shared/data] [--repeats 3] [--write], which writes docs/outcome_figures.md

Five folds a repeat. Words, topics, axes, columns and classifier are learned from the training folds alone, by the pipeline that
``TriageModel`` ships. Boosted trees get the topics, the axes (scored without each patient) and the columns of the fold. The
shrinkage of rare words was chosen on NEISS, nothing on the paper's notes.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from columns import SETS, _plain, means, study_of
from common import asked, in_process, machine, say, table
from fingerprint import mark

PAGE = Path(__file__).parents[1] / "docs" / "outcome_figures.md"
DATA = {"altered": "the paper's notes", "neiss_columns": "NEISS neck"}
FIGURES = {"auroc": "AUROC", "log_loss": "log loss", "accuracy": "accuracy"}
TITLES = {"sonmf": "SONMF", "nmf": "NMF", "svd": "TruncatedSVD", "words": "bag of words", "trees": "boosted trees on SONMF"}
HEADER = ["data", "method", "from", "topics", "axes", *FIGURES.values()]


def judged(data: str, name: str, topics: int, axes: int, repeats: int) -> list[dict[str, Any]]:
    """Every method with this many topics and axes; SONMF also from the notes alone. A bag of words has neither."""
    from sonmf.triage import evaluate

    patients = SETS[name][0](data)
    methods = ["sonmf", "nmf", "svd", *(["words"] if (topics, axes) == (10, 0) else [])]
    found = evaluate(
        patients.notes, patients.disposition, columns=patients.columns, methods=methods, n_topics=topics, outcome_axes=axes,
        repeats=repeats, vectorizer=patients.vectorizer, kinds=patients.kinds, measurements=patients.measurements, processes=1,
    )  # fmt: skip
    rows = [row for row in found.summary() if row["inputs"] != "columns" or (topics, axes) == (10, 0)]
    return [{name: row[name] for name in ("method", "inputs", "n_topics", *FIGURES)} for row in rows]


def boosted(data: str, name: str, topics: int, axes: int, repeats: int) -> dict[str, float]:
    """Boosted trees on the topics, axes and columns of the same folds."""
    import numpy as np
    from msgspec.structs import asdict, replace
    from sklearn.ensemble import HistGradientBoostingClassifier

    from sonmf.triage import forecaster, measures
    from sonmf.triage.evaluation import Cell, inputs_of
    from sonmf.triage.evaluation_results import BOTH
    from sonmf.triage.factorisations import project

    study = study_of(SETS[name][0](data), topics)
    study = study._replace(settings=replace(study.settings, outcome_axes=axes))
    rows, y, figures = study.members[""], study.patients.outcomes, []
    for repeat in range(repeats):
        for fold in range(study.settings.folds):
            settings = study.fit_settings(Cell("", "sonmf", topics, repeat, fold, BOTH))
            train, test = study.split(rows, fold, settings.seed)
            (notes, given, stated), unseen = (inputs_of(study, part, BOTH) for part in (train, test))
            (fitted,) = forecaster.fit(notes, y[train], given, stated, [topics], settings)
            model = fitted.forecaster
            sides = [fitted.patients, model.encode(unseen[0], unseen[1], stated=unseen[2])]
            seen, held_out = (
                np.column_stack([project(side.X, model.components), side.axis_scores, *map(_plain, side.values)])
                for side in sides
            )
            trees = HistGradientBoostingClassifier(learning_rate=0.05, early_stopping=True, max_iter=400, random_state=0)
            p = np.clip(trees.fit(seen, y[train]).predict_proba(held_out)[:, 1], 1e-9, 1 - 1e-9)
            figures.append(asdict(measures.figures(np.log(p / (1 - p)), y[test])))
    return means(figures)


def line(name: str, row: dict[str, Any], axes: int) -> list[str]:
    """A row of the table."""
    method, words = row["method"], row["method"] == "words"
    title = "columns alone" if row["inputs"] == "columns" else TITLES[method]
    none = words or row["inputs"] == "columns"
    sizes = ["-", "-"] if none else [str(row["n_topics"]), str(axes)]
    return [DATA[name], title, row["inputs"], *sizes, *(f"{row[figure]:.3f}" for figure in FIGURES)]


JOBS = {"judged": judged, "boosted": boosted}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    parser.add_argument("--data", type=Path, default=beside, help="folder of the data (default ../shared/data)")
    parser.add_argument("--repeats", type=int, default=3, help="random splits into five folds (default 3)")
    parser.add_argument("--write", action="store_true", help="write docs/outcome_figures.md")
    if options := asked(parser, JOBS):
        shared: dict[str, Any] = {"threads": 1, "data": str(options.data), "repeats": options.repeats}
        lines = []
        for name in DATA:
            for topics in (10, 50):
                for axes in (0, 2):
                    of_size = {"name": name, "topics": topics, "axes": axes} | shared
                    lines += [line(name, row, axes) for row in in_process(__file__, "judged", **of_size)]
                    if topics == 10:
                        row = {"method": "trees", "inputs": "notes + columns", "n_topics": topics}
                        lines.append(line(name, row | in_process(__file__, "boosted", **of_size), axes))
                    say(table(HEADER, lines[-6:]) + "\n")
        lines.sort(key=lambda cells: (list(DATA.values()).index(cells[0]), cells[2], -float(cells[5])))
        splits = f"*{machine()}; {options.repeats} random split{'s' if options.repeats > 1 else ''} into five folds.*"
        page = f"{splits}\n\n{mark(PAGE.name)}\n\n{table(HEADER, lines)}\n"
        say(page)
        if options.write:
            PAGE.write_text(page, encoding="utf-8")
