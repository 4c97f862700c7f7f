"""``sonmf predict``: patients in, forecasts out, in their order and every one of them."""

from __future__ import annotations

import csv
import gzip
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.bar import Bar
from rich.console import Console
from rich.table import Table
from rich.text import Text

from sonmf import files
from sonmf.cli.notes import column, named_preset, read_with_remarks
from sonmf.cli.say import check_target, refuse
from sonmf.datasets import tables
from sonmf.triage import Explanation, TriageModel, expected_admissions
from sonmf.triage.scoring import score

FIELDS = ["id", "probability", "top_topics", "top_words", "remark"]
ENDINGS = (".csv", ".tsv", ".csv.gz", ".tsv.gz", ".parquet")


def run(
    model: TriageModel,
    path: Path,
    preset: str | None,
    text: str | None,
    group: str | None,
    identity: str | None,
    top: int,
    out: Path | None,
    *,
    force: bool,
) -> None:
    notes_to = Console(stderr=True)
    if out is not None:
        refuse(not out.name.endswith(ENDINGS), f"{out}: the ending must be one of {', '.join(ENDINGS)}")
        check_target(out, force)
    known = named_preset(preset)
    probabilities: list[float] = []
    remarks = 0

    def rows() -> Iterator[list[Any]]:
        nonlocal remarks
        for frame in [read_with_remarks(known, path, notes_to)] if known else tables.chunks(path):
            names = _columns(frame, text or (known.text if known else "note"), group, identity, path)
            patients = (
                list(frame[names["id"]]) if names["id"] else range(len(probabilities) + 1, len(probabilities) + len(frame) + 1)
            )
            complaint = list(frame[names["group"]]) if names["group"] else None
            for patient, found in zip(patients, score(model, list(frame[names["text"]]), complaint, top), strict=True):
                probabilities.append(found.probability)
                remarks += bool(found.remark)
                yield [patient, f"{found.probability:.6f}", _signed(found.topics), _signed(found.words), found.remark]

    if out is None:
        write_delimited(sys.stdout, rows(), ",")
    else:
        files.replace(out, lambda partial: write(partial, rows()))
    notes_to.print(f"{expected_admissions(probabilities)}", highlight=False)
    if remarks:
        notes_to.print(f"{remarks} rows have a remark: no known word, or no model of their own complaint", highlight=False)
    if out is not None:
        notes_to.print(f"written to [bold]{out}[/bold]", highlight=False)


def _columns(frame: Any, text: str, group: str | None, identity: str | None, path: Path) -> dict[str, str | None]:
    return {
        "text": column(frame, text, path),
        "group": column(frame, group, path) if group else _if_there(frame, "complaint"),
        "id": column(frame, identity, path) if identity else _if_there(frame, "id"),
    }


def _if_there(frame: Any, name: str) -> str | None:
    return name if name in frame.columns else None


def _signed(parts: list[tuple[str, float]]) -> str:
    return "; ".join(f"{name} {value:+.2f}" for name, value in parts)


def write(path: Path, rows: Iterator[list[Any]]) -> None:
    """CSV, TSV, either gzipped, or Parquet, by the ending."""
    if path.name.endswith(".parquet"):
        import pandas as pd

        frame = pd.DataFrame(rows, columns=FIELDS).astype({"probability": float})
        frame.to_parquet(path, index=False)
        return
    with _opened(path) as file:
        write_delimited(file, rows, "\t" if ".tsv" in path.suffixes else ",")


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "wt", encoding="utf-8", newline="") as file:
        yield file


def write_delimited(file: Any, rows: Iterator[list[Any]], delimiter: str) -> None:
    writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
    writer.writerow(FIELDS)
    writer.writerows(rows)


def explain(console: Console, why: Explanation, note: str) -> None:
    """One forecast, taken apart on the terminal."""
    console.print(Text(note, style="italic"))
    console.print(
        f"probability of admission [bold]{why.probability:.1%}[/bold], base rate {why.base_rate:.1%}"
        f" ({why.model or 'all complaints'})",
        highlight=False,
    )
    if why.remark:
        console.print(why.remark, style="yellow", highlight=False, markup=False)
    largest = max([abs(topic.contribution) for topic in why.topics] + [abs(why.intercept), 1e-12])
    table = Table(pad_edge=False, box=None)
    for name in ("log-odds", "", "from", "words"):
        table.add_column(name, justify="right" if name == "log-odds" else "left", overflow="fold")
    table.add_row(f"{why.intercept:+.3f}", _bar(why.intercept, largest), "intercept", "")
    shown = why.topics[:6]
    for topic in shown:
        words = sorted(topic.words.items(), key=lambda item: -abs(item[1]))[:4]
        name = f"{topic.topic} {topic.name}"
        table.add_row(f"{topic.contribution:+.3f}", _bar(topic.contribution, largest), name, _signed(words))
    if rest := why.topics[len(shown) :]:
        amount = sum(topic.contribution for topic in rest)
        table.add_row(f"{amount:+.3f}", _bar(amount, largest), f"{len(rest)} other topics", "")
    table.add_row(f"{why.log_odds:+.3f}", "", "log-odds of the forecast", "")
    console.print(table)
    if why.unknown:
        console.print(f"words the model does not know: {', '.join(why.unknown)}", highlight=False, markup=False)


def _bar(value: float, largest: float) -> Bar:
    share = value / largest
    return Bar(2, min(1, 1 + share), max(1, 1 + share), width=20, color="red" if value > 0 else "blue")
