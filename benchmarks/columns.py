"""What columns and the numbers in a note add to a forecast, beside a glass-box peer and boosted trees on the same inputs.

python benchmarks/columns.py [--data ../shared/data] [--topics 50] [--only inputs,peers,bends,speed], with the extra ``bench``

Five folds; words, topics, columns and classifier are learned from the training folds alone. The peers get the topics, outcome
axes and columns of the same fold. The glass box has no pairs of features, and 4 bags instead of 14, for the time it takes.
The number of bends was chosen on the altered-consciousness notes.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any, NamedTuple

from common import asked, in_process, machine, say, table
from fingerprint import mark

ALTERED, NEISS, NHAMCS = (
    Path("altered_consciousness", "triage.csv.gz"),
    Path("neiss_neck", "neiss_neck_2003_2022.csv.gz"),
    Path("nhamcs_ed2010", "visits.csv.gz"),
)
KNOWN_AT_TRIAGE = ("AGE", "TEMPF", "PULSE", "RESPR", "BPSYS", "BPDIAS", "POPCT", "GCS", "PAIN")
CODES = ("SEX", "ARREMS", "IMMEDR")
MISSING = {"-9", "-8", "-7"}
FIGURES = ("auroc", "log_loss", "accuracy", "calibration_slope")
BENDS = {
    "a straight line": (),
    "a line with 1 knot": (0.5,),
    "a line with 2 knots": (0.33, 0.67),
    "a line with 3 knots": (0.1, 0.5, 0.9),
    "a line with 4 knots": (0.05, 0.35, 0.65, 0.95),
    "a line with 6 knots": (0.05, 0.23, 0.41, 0.59, 0.77, 0.95),
    "a cubic with 3 knots": (0.1, 0.5, 0.9),
    "a cubic with 4 knots": (0.05, 0.35, 0.65, 0.95),
    "a cubic with 5 knots": (0.05, 0.275, 0.5, 0.725, 0.95),
}


class Data(NamedTuple):
    """Patients of one data set."""

    notes: list[Any]
    disposition: list[str]
    columns: Any
    kinds: dict[str, str]
    measurements: bool
    vectorizer: Any
    ages: list[Any] | None


def altered(data: str) -> Data:
    """The paper's own notes, with vital signs, triage level and arrival."""
    from sonmf.sources.altered_consciousness import read_altered_consciousness
    from sonmf.sources.presets import PRESETS

    preset = PRESETS["altered-consciousness"]
    frame = read_altered_consciousness(Path(data, ALTERED))
    names, kinds = [name for name, _ in preset.columns], dict(preset.columns)
    return Data(list(frame["note"]), list(frame["disposition"]), frame[names], kinds, True, None, None)


def with_history(data: str) -> Data:
    """The same, and the medical history as a second text."""
    from sonmf.sources.altered_consciousness import read_altered_consciousness

    frame = read_altered_consciousness(Path(data, ALTERED))
    found = altered(data)
    columns = found.columns.assign(history=frame["history"])
    return found._replace(columns=columns, kinds=found.kinds | {"history": "text"})


def neiss(data: str) -> Data:
    """Injury narratives; nothing but what stands in the note."""
    from sonmf.sources import open_table
    from sonmf.sources.presets import LEAKING_WORDS
    from sonmf.text import NotesVectorizer

    frame = open_table(Path(data, NEISS)).read(["narrative_nodx", "disposition", "age", "sex"])
    frame = frame[frame["disposition"].isin(["admitted", "discharged"])]
    vectorizer = NotesVectorizer(drop_words=list(LEAKING_WORDS))
    ages = [float(age) if age == age and age else float("nan") for age in frame["age"]]
    return Data(list(frame["narrative_nodx"]), list(frame["disposition"]), None, {}, True, vectorizer, ages)


def neiss_columns(data: str) -> Data:
    """The same with age and sex as columns, which all patients have."""
    from sonmf.sources import open_table

    frame = open_table(Path(data, NEISS)).read(["disposition", "age", "sex"])
    frame = frame[frame["disposition"].isin(["admitted", "discharged"])]
    return neiss(data)._replace(columns=frame[["age", "sex"]], kinds={"age": "number", "sex": "category"})


def nhamcs(data: str) -> Data:
    """Reasons for a visit, with what is known at triage."""
    from sonmf.sources import open_table
    from sonmf.triage.patients import columns_of

    frame = open_table(Path(data, NHAMCS)).read(["text", "disposition", *KNOWN_AT_TRIAGE, *CODES])
    frame = frame[frame["disposition"].isin(["admitted", "discharged"])]
    columns = columns_of(frame, (*KNOWN_AT_TRIAGE, *CODES), MISSING)
    ages = [float(age) for age in frame["AGE"]]
    return Data(list(frame["text"]), list(frame["disposition"]), columns, dict.fromkeys(CODES, "category"), True, None, ages)


def few(data: str) -> Data:
    """Of the paper's notes as many as a complaint of a small hospital has."""
    one = altered(data)
    return one._replace(notes=one.notes[:900], disposition=one.disposition[:900], columns=one.columns.iloc[:900])


SETS = {
    "altered": (altered, "altered consciousness (the paper's notes); vital signs, triage level, ambulance"),
    "with_history": (with_history, "the same and the medical history (text)"),
    "neiss": (neiss, "NEISS neck; only what the note states"),
    "neiss_columns": (neiss_columns, "NEISS neck; age and sex as columns"),
    "few": (few, "900 of the altered-consciousness notes"),
    "nhamcs": (nhamcs, "NHAMCS 2010; age, sex, ambulance, vital signs, GCS, pain, triage level"),
}


def band(age: float) -> str:
    """65 and over, or below; a missing age is neither."""
    return "unknown" if age != age else "65 and over" if age >= 65 else "below 65"


def judged(data: str, name: str, topics: int) -> dict[str, Any]:
    """Notes, columns, and both; and by age where it is known."""
    from sonmf.triage import evaluate
    from sonmf.triage.strict_json import as_json

    one = SETS[name][0](data)
    subgroups = {"age": [band(age) for age in one.ages]} if one.ages else None
    found = evaluate(
        one.notes, one.disposition, columns=one.columns, methods=["sonmf"], n_topics=topics, subgroups=subgroups,
        vectorizer=one.vectorizer, kinds=one.kinds, measurements=one.measurements, processes=1,
    )  # fmt: skip
    return {"summary": found.summary(), "curves": as_json(found.methods)}


def bends(data: str, name: str, topics: int) -> dict[str, Any]:
    """AUROC and log loss of notes and columns for each choice of knots."""
    from msgspec.structs import asdict

    from sonmf.triage import column_effects, measures
    from sonmf.triage.evaluation import Cell, read_cell, run_cell
    from sonmf.triage.evaluation_results import BOTH

    study = study_of(SETS[name][0](data), topics)
    found, line = {}, column_effects._bent
    column_effects.require = lambda *_: None  # a cubic has fewer means than a line with as many knots
    for title, knots in BENDS.items():
        column_effects.KNOTS, column_effects._bent = knots, cubic if "cubic" in title else line
        fits = [read_cell(run_cell(Cell("", "sonmf", topics, 0, fold, BOTH), study)) for fold in range(study.settings.folds)]
        found[title] = means([asdict(measures.figures(fit.log_odds, study.patients.outcomes[fit.places])) for fit in fits])
    return found


def cubic(x: Any, knots: Any) -> Any:
    """A restricted cubic spline: smooth, and straight beyond the outer knots."""
    import numpy as np

    if len(knots) < 3:
        return x[:, None]
    last, before, width = knots[-1], knots[-2], knots[-1] - knots[0]
    columns = [x]
    for knot in knots[:-2]:
        inner = np.maximum(x - before, 0) ** 3 * (last - knot) / (last - before)
        outer = np.maximum(x - last, 0) ** 3 * (before - knot) / (last - before)
        columns.append((np.maximum(x - knot, 0) ** 3 - inner + outer) / width**2)
    return np.column_stack(columns)


def study_of(one: Data, topics: int) -> Any:
    """What ``evaluate`` would judge."""
    import numpy as np

    from sonmf.text.note_numbers import read_measurements
    from sonmf.triage.evaluation import Study, evaluation_settings
    from sonmf.triage.patients import Patients

    patients = Patients.given(one.notes, one.disposition, columns=one.columns, positive="admitted")
    settings = evaluation_settings(
        patients, methods=["sonmf"], n_topics=topics, vectorizer=one.vectorizer, kinds=one.kinds, measurements=one.measurements
    )
    stated = read_measurements(one.notes) if one.measurements else {}
    return Study(patients, {"": np.arange(len(patients))}, stated, settings)


def means(rows: list[dict[str, float]]) -> dict[str, float]:
    """Over the folds."""
    return {name: sum(row[name] for row in rows) / len(rows) for name in FIGURES}


def peers(data: str, name: str, topics: int) -> dict[str, Any]:
    """Ours, an explainable boosting machine and boosted trees: the same topics, axes, columns and measurements in each fold."""
    import numpy as np
    from interpret.glassbox import ExplainableBoostingClassifier
    from msgspec.structs import asdict
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.model_selection import StratifiedKFold

    from sonmf.triage import forecaster, measures
    from sonmf.triage.evaluation import Cell, inputs_of
    from sonmf.triage.evaluation_results import BOTH
    from sonmf.triage.factorisations import project

    study = study_of(SETS[name][0](data), topics)
    settings = study.fit_settings(Cell("", "sonmf", topics, 0, 0, BOTH))
    found: dict[str, list[dict[str, float]]] = {}
    seconds: dict[str, float] = {}
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(study.patients.outcomes, study.patients.outcomes):
        sides = [inputs_of(study, some, BOTH) for some in (train, test)]
        began = time.process_time()
        notes, given, stated = sides[0]
        (fitted,) = forecaster.fit(notes, study.patients.outcomes[train], given, stated, [topics], settings)
        seconds["sonmf"] = seconds.get("sonmf", 0) + time.process_time() - began
        model = fitted.forecaster
        notes, given, stated = sides[1]
        encoded = [fitted.patients, model.encode(notes, given, stated=stated)]
        found.setdefault("sonmf", []).append(
            asdict(measures.figures(model.log_odds(encoded[1]), study.patients.outcomes[test]))
        )
        inputs = [
            np.column_stack([project(patients.X, model.components), patients.axis_scores, *map(_plain, patients.values)])
            for patients in encoded
        ]
        for title, rival in {
            "ExplainableBoostingClassifier": ExplainableBoostingClassifier(
                interactions=0, outer_bags=4, random_state=0, n_jobs=1
            ),
            "HistGradientBoostingClassifier": HistGradientBoostingClassifier(
                learning_rate=0.05, early_stopping=True, max_iter=400, random_state=0
            ),
        }.items():
            began = time.process_time()
            rival.fit(inputs[0], study.patients.outcomes[train])
            seconds[title] = seconds.get(title, 0) + time.process_time() - began
            p = np.clip(rival.predict_proba(inputs[1])[:, 1], 1e-9, 1 - 1e-9)
            found.setdefault(title, []).append(asdict(measures.figures(np.log(p / (1 - p)), study.patients.outcomes[test])))
    return {title: means(rows) | {"seconds": seconds[title] / 5} for title, rows in found.items()}


def _plain(values: Any) -> Any:
    """A column as a number, levels by their place."""
    import numpy as np

    if values.dtype == float:
        return values
    _, place = np.unique([str(value) for value in values], return_inverse=True)
    return place.astype(float)


def speed(data: str, topics: int) -> dict[str, Any]:
    """Milliseconds to explain a patient, and the time of a fit with columns and measurements as a multiple of one without."""
    import numpy as np

    from sonmf.triage import TriageModel

    one = altered(data)
    rows = [{name: one.columns[name].iloc[i] for name in one.columns} for i in range(2000)]
    with_columns, without = TriageModel(topics, kinds=one.kinds), TriageModel(topics, measurements=False)
    without.fit(one.notes[:600], one.disposition[:600])  # compiles
    ratios = []
    for _ in range(3):
        began = time.process_time()
        without.fit(one.notes, one.disposition)
        middle = time.process_time()
        with_columns.fit(one.notes, one.disposition, columns=one.columns)
        ratios.append((time.process_time() - middle) / (middle - began))
    spent = []
    for note, row in zip(one.notes, rows, strict=False):
        began = time.perf_counter()
        with_columns.explain(note, None, row)
        spent.append(1000 * (time.perf_counter() - began))
    return {"ratios": ratios, "p50": float(np.quantile(spent, 0.5)), "p99": float(np.quantile(spent, 0.99))}


def of_inputs(found: dict[str, dict[str, Any]]) -> str:
    """A row for each data set and what was seen of it."""
    head = ["data", "from", "AUROC", "log loss", "accuracy", "calibration slope"]
    rows = []
    for name, one in found.items():
        for row in one["summary"]:
            cells = [f"{row[figure]:.3f} ± {row[f'{figure}_error']:.3f}" for figure in FIGURES]
            rows.append([SETS[name][1], row["inputs"], *cells])
    return table(head, rows)


def of_ages(found: dict[str, dict[str, Any]]) -> str:
    """Forecast and outcome by age."""
    rows = []
    for name, one in found.items():
        for curve in one["curves"]:
            for group in curve["subgroups"]:
                admitted = group["admitted"]["value"]
                off = group["forecast"] / admitted - 1
                cells = [f"{group['n']}", f"{group['forecast']:.1%}", f"{admitted:.1%}", f"{off:+.1%}"]
                rows.append([SETS[name][1], curve["inputs"], group["value"], *cells])
    return table(["data", "from", "age", "patients", "forecast", "admitted", "off by"], rows)


JOBS = {f.__name__: f for f in (judged, bends, peers, speed)}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    parser.add_argument("--data", type=Path, default=beside, help="folder of the data (default ../shared/data)")
    parser.add_argument("--topics", type=int, default=50, help="topics (default 50)")
    parser.add_argument("--only", default="inputs,peers,bends,speed", help="parts, with commas (default all)")
    if options := asked(parser, JOBS):
        here: dict[str, Any] = {"threads": 1, "data": str(options.data), "topics": options.topics}
        say(f"*{machine()}; {options.topics} topics.*\n\n{mark('columns_figures.md')}\n")
        parts = options.only.split(",")
        if "inputs" in parts:
            judgements = {name: in_process(__file__, "judged", name=name, **here) for name in SETS if name != "few"}
            say(of_inputs(judgements) + "\n")
            say(of_ages({name: one for name, one in judgements.items() if name != "altered"}) + "\n")
        if "peers" in parts:
            for name in ("altered", "neiss"):
                rows = in_process(__file__, "peers", name=name, **here)
                body = [[k, *(f"{v[f]:.3f}" for f in FIGURES), f"{v['seconds']:.1f}"] for k, v in rows.items()]
                say(f"{SETS[name][1]}:\n")
                say(table(["method", "AUROC", "log loss", "accuracy", "calibration slope", "seconds a fit"], body) + "\n")
        if "bends" in parts:
            curves = {name: in_process(__file__, "bends", name=name, **here) for name in ("altered", "few", "neiss_columns")}
            body = [[k, *(f"{one[k][f]:.4f}" for one in curves.values() for f in ("auroc", "log_loss"))] for k in BENDS]
            titles = ("altered consciousness", "900 of them", "NEISS, age and sex as columns")
            head = [f"{what}, {name}" for name in titles for what in ("AUROC", "log loss")]
            say(table(["a number is", *head], body) + "\n")
        if "speed" in parts:
            fast = in_process(__file__, "speed", **here)
            ratios = ", ".join(f"{ratio:.2f}" for ratio in fast["ratios"])
            say(f"A fit with columns and measurements takes {ratios} times as long as one without (processor time).")
            say(f"To explain one patient: median {fast['p50']:.2f} ms, 99th percentile {fast['p99']:.2f} ms.")
