"""The numbers in a note: how many are found, how many of them are right, and how many notes a minute on one core.

python benchmarks/measurements.py [--notes 200000] [--repeats 3] [--data DIR] [--out docs] [--show heart_rate]

Age and sex are judged by the columns of NEISS; the forms were written with its even rows in sight, the odd ones were held out.
The vital signs of the notes on altered consciousness are set beside the columns of the same visit. These are readings at
triage, while a note often states what the ambulance found: agreement is a lower bound, and the same share with the columns
of another patient shows what chance would give. --show prints every statement of one measurement, to judge by eye.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from common import asked, in_process, machine, median, parts, say, spread, table, verdict
from fingerprint import mark

A_MINUTE = 1_000_000
VITALS = {  # column, how far readings of one patient may differ, a label with a number near it
    "saturation": ("SAT.O2", 3, r"\b(?:sats?|spo2|sp02|sao2|sa02)\b[^\d.,;]{0,12}?(\d{2,3})\b"),
    "heart_rate": ("Heart.Rate", 10, r"\b(?:hr|pulse|heart rate)\b[^\d.,;]{0,12}?(\d{2,3})\b"),
    "respiratory_rate": ("Resp.Rate", 4, r"\b(?:rr|resps?|respirations?)\b[^\d.,;]{0,12}?(\d{1,2})\b"),
    "systolic": ("SystolicBP", 15, r"\bs?bp\b[^\d.,;]{0,12}?(\d{2,3})\b"),
    "diastolic": ("DistolicBP", 10, r"\bbp\b[^\d.,;]{0,12}?\d{2,3}/(\d{2,3})\b"),
    "temperature": ("Temp", 0.5, r"\b(?:temp|t|febrile|fever)\b[^\d.,;]{0,12}?(\d{2}(?:\.\d)?)\b"),
}
NEISS = Path("neiss_neck", "neiss_neck_2003_2022.csv.gz")
ALTERED = Path("altered_consciousness", "triage.csv.gz")


def age_and_sex(notes: list[Any], age: Any, sex: Any) -> dict[str, Any]:
    """How often age (in whole years) and sex are read and right, and the same where the true age stands in the note."""
    import numpy as np

    from sonmf.text import measurements

    read = measurements(notes)
    right = np.floor(read["age"].to_numpy()) == np.floor(age)
    same = read["sex"].to_numpy() == sex
    stated = np.array([age_stated(str(note), years) for note, years in zip(notes, age, strict=True)])
    return {
        "notes": len(notes),
        "age precision": right.sum() / read["age"].notna().sum(),
        "age recall": right.mean(),
        "age recall, stated": right[stated].mean(),
        "sex precision": same.sum() / read["sex"].notna().sum(),
        "sex recall": same.mean(),
    }


def age_stated(note: str, years: float) -> bool:
    """Whether the age in years, followed by a y, or in months, followed by an m, stands anywhere in the note."""
    import re

    return years == years and any(
        re.search(rf"(?<!\d){number}[ -]{{0,2}}{unit}", note.lower())
        for number, unit in ((int(years), "y"), (round(12 * years), "m"))
    )


def neiss(data: str) -> list[dict[str, Any]]:
    import pandas as pd

    visits = pd.read_csv(Path(data) / NEISS)
    rows = {"all rows": slice(None), "even rows": slice(0, None, 2), "odd rows, held out": slice(1, None, 2)}
    results = []
    for column in ("narrative", "narrative_nodx"):
        for name, rows_of in rows.items():
            some = visits[rows_of]
            judged = age_and_sex(some[column].tolist(), some["age"].to_numpy(), some["sex"].str[0].to_numpy())
            results.append({"name": f"NEISS {column}, {name}"} | judged)
    return results


def generated(notes: int) -> dict[str, Any]:
    from sonmf.datasets import make_triage_notes

    frame = make_triage_notes(notes, random_state=0, details=True)
    return {"name": "generated"} | age_and_sex(frame["note"].tolist(), frame["age"].to_numpy(), frame["sex"].to_numpy())


def vital_signs(data: str) -> list[dict[str, Any]]:
    import numpy as np
    import pandas as pd

    from sonmf.text import measurements
    from sonmf.text.note_numbers import RANGES

    visits = pd.read_csv(Path(data) / ALTERED)
    read = measurements(visits["TriageNote"])
    lower = visits["TriageNote"].fillna("").str.lower()
    rng = np.random.default_rng(0)
    results = []
    for name, (column, tolerance, near) in VITALS.items():
        truth = visits[column].where(visits[column].between(*RANGES[name][:2]))
        both = read[name].notna() & truth.notna()
        ours, theirs = read[name][both].to_numpy(), truth[both].to_numpy()
        chance = np.mean([np.abs(ours - rng.permutation(theirs)) <= tolerance for _ in range(200)])
        labelled = lower.str.extract(near)[0].astype(float)
        labelled = labelled.where(labelled.between(*RANGES[name][:2]))
        results.append(
            {
                "name": name,
                "read": int(read[name].notna().sum()),
                "labelled": int(labelled.notna().sum()),
                "recall": float(read[name][labelled.notna()].notna().mean()),
                "both": int(both.sum()),
                "tolerance": tolerance,
                "agree": float((np.abs(ours - theirs) <= tolerance).mean()),
                "chance": float(chance),
                "difference": float(np.median(ours - theirs)),
            }
        )
    return results


def processor_seconds(action: Callable[[], Any]) -> float:
    """What one thread spent on a core, so that other processes of the machine do not count."""
    start = time.process_time()
    action()
    return time.process_time() - start


def speed(notes: int, repeats: int, data: str) -> dict[str, list[float]]:
    """Notes a minute on one core."""
    import pandas as pd

    from sonmf.datasets import make_triage_notes
    from sonmf.text import measurements

    texts = {"generated": make_triage_notes(notes, random_state=0)["note"].tolist()}
    if (Path(data) / NEISS).exists():
        narratives = pd.read_csv(Path(data) / NEISS)["narrative"].tolist()
        texts["NEISS"] = (narratives * (notes // len(narratives) + 1))[:notes]
    return {
        f"{name}, {sum(len(str(note)) for note in some) / notes:.0f} characters a note": [
            notes * 60 / processor_seconds(lambda some=some: measurements(some)) for _ in range(repeats)
        ]
        for name, some in texts.items()
    }


def show(name: str, data: str) -> None:
    """Every statement of one measurement in the notes on altered consciousness, with what stands around it."""
    import pandas as pd

    from sonmf.text import located

    for note in pd.read_csv(Path(data) / ALTERED)["TriageNote"].dropna():
        for one in located(note):
            if one.name == name:
                say(f"{one.value!s:8.8} {' '.join(note[max(0, one.start - 35) : one.end + 25].split())}")


def judged(rows: list[dict[str, Any]]) -> str:
    header = ["notes", "age precision", "age recall", "age recall, stated", "sex precision", "sex recall"]
    return table(
        ["", *header],
        [[row["name"], f"{row['notes']:,}", *(f"{row[column]:.2%}" for column in header[1:])] for row in rows],
    )


def compared(rows: list[dict[str, Any]]) -> str:
    header = [
        "",
        "notes that state it",
        "label with a number near it",
        "read of these",
        "column too",
        "agree",
        "with another patient",
        "median difference",
    ]
    return table(
        header,
        [
            [
                row["name"],
                f"{row['read']}",
                f"{row['labelled']}",
                f"{row['recall']:.1%}",
                f"{row['both']}",
                f"{row['agree']:.0%} within {row['tolerance']}",
                f"{row['chance']:.0%}",
                f"{row['difference']:+.1f}",
            ]
            for row in rows
        ],
    )


JOBS = {f.__name__: f for f in (neiss, generated, vital_signs, speed)}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    parser.add_argument("--notes", type=int, default=200_000, help="notes to time (default 200,000)")
    parser.add_argument("--repeats", type=int, default=3, help="timings to take the median of (default 3)")
    parser.add_argument("--data", type=Path, default=beside, help="folder of the data (default ../shared/data)")
    parser.add_argument("--out", type=Path, help="folder to write numbers_in_notes_figures.md to")
    parser.add_argument("--show", choices=["age", "sex", *VITALS, "pain", "gcs", "glucose", "days"], help="print statements")
    if (options := asked(parser, JOBS)) and options.show:
        show(options.show, str(options.data))
    elif options:
        data = str(options.data)
        say(f"{machine()}\n")
        known = in_process(__file__, "neiss", threads=1, data=data) if (options.data / NEISS).exists() else []
        tables = {"age and sex": judged([*known, in_process(__file__, "generated", threads=1, notes=20_000)])}
        if (options.data / ALTERED).exists():
            tables["vital signs"] = compared(in_process(__file__, "vital_signs", threads=1, data=data))
        for text in tables.values():
            say(text + "\n")
        if options.out and len(tables) == 2:
            page = "numbers_in_notes_figures.md"
            (options.out / page).write_text(f"{mark(page)}\n\n{parts(tables)}")
        for file in (NEISS, ALTERED):
            if not (options.data / file).exists():
                say(f"{file.parent} did not run: {options.data / file} is not there\n")
        rates = in_process(__file__, "speed", threads=1, notes=options.notes, repeats=options.repeats, data=data)
        for name, some in rates.items():
            millions = spread([rate / 1e6 for rate in some])
            say(f"{name}: {millions} million notes a minute of one core (at least 1: {verdict(median(some), A_MINUTE)})")
