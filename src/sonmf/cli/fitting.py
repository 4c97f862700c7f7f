"""``sonmf fit``: notes in, a model file out."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from sonmf.cli.notes import Columns, read_labelled, subgroup_columns
from sonmf.cli.say import check_target, progress, sheet
from sonmf.text import NotesVectorizer
from sonmf.triage import TriageModel


def run(
    path: Path,
    columns: Columns,
    model: TriageModel,
    make_vectorizer: Any,
    subgroups: list[str],
    out: Path,
    *,
    force: bool,
) -> None:
    console = Console()
    check_target(out, force)
    data = read_labelled(path, columns, console)
    vectorizer: NotesVectorizer = make_vectorizer(data.drop_words)
    model.set_params(vectorizer=vectorizer, positive=data.positive)
    fit_with_progress(model, data, subgroup_columns(data, subgroups, path), console)
    model.save(out)
    console.print(f"model written to [bold]{out}[/bold]; next: sonmf topics {out}, sonmf predict {out} FILE", highlight=False)


def fit_with_progress(model: TriageModel, data: Any, subgroups: dict[str, Any], console: Console) -> None:
    began = time.monotonic()
    with progress(console, None, "models") as advance:
        model.fit(
            data.notes,
            data.disposition,
            data.complaint,
            subgroups=subgroups,
            progress=lambda done, total, name: advance(name or "all complaints", total),
        )
    console.print(summary(model))
    for name, reason in model.pooled_.items():
        console.print(f"{name}: the model of all complaints is used, {reason}", highlight=False, markup=False)
    console.print(f"[dim]{len(data.notes)} notes in {time.monotonic() - began:.0f} s; AUROC and slope are out of fold[/dim]")


def summary(model: TriageModel) -> Table:
    table = sheet("Models")
    table.add_column("complaint", min_width=16)
    for name in ("notes", "admitted", "topics", "used", "AUROC", "log loss", "slope"):
        table.add_column(name, justify="right")
    for name, one in model.models_.items():
        figures, lasso = one.record["out_of_fold"], one.record["lasso"]
        table.add_row(
            name or "all complaints",
            f"{one.n_notes:,}",
            f"{one.base_rate:.1%}",
            str(one.n_topics),
            str(lasso["topics_used"]),
            f"{figures['auroc']:.3f}",
            f"{figures['log_loss']:.3f}",
            f"{one.record['calibration']['slope']:.2f}",
        )
    return table
