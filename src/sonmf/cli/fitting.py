"""``sonmf fit``: notes in, a model file out."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from sonmf.cli.notes import Columns, read_labelled, read_parts, sealed, subgroup_columns
from sonmf.cli.say import check_target, progress, sheet
from sonmf.triage import TriageModel
from sonmf.triage import memory as budget
from sonmf.triage.provenance import Fingerprint
from sonmf.triage.report import JUDGED
from sonmf.triage.shelf import Shelf


def run(
    path: Path,
    columns: Columns,
    model: TriageModel,
    make_vectorizer: Any,
    subgroups: list[str],
    out: Path,
    *,
    memory: str | None,
    force: bool,
) -> None:
    console = Console()
    check_target(out, force)
    if memory is None:
        data = read_labelled(path, columns, console, subgroups)
        model.set_params(vectorizer=make_vectorizer(data.drop_words), positive=data.positive)
        fit_with_progress(model, data, subgroup_columns(data), console)
        model.provenance_ = sealed(data)
    else:
        budget.room(memory)  # refused before anything is read
        plan, parts = read_parts(path, columns, console, subgroups)
        model.set_params(vectorizer=make_vectorizer(plan.named.drop_words), positive=plan.positive)
        mark = Fingerprint()
        with Shelf(plan.classes) as shelf:
            for part in parts:
                shelf.add(part.notes, part.disposition, part.complaint, subgroup_columns(part))
                mark.add(part.notes, part.disposition, part.complaint)
            if remark := budget.keep_within(memory, shelf, model):
                console.print(remark, highlight=False, markup=False)
            show(model, lambda advance: model.fit_patients(shelf, advance), len(shelf), console)
        model.provenance_ = replace(plan.provenance, data=mark.hexdigest())
    model.save(out)
    console.print(f"model written to [bold]{out}[/bold]; next: sonmf topics {out}, sonmf predict {out} FILE", highlight=False)


def fit_with_progress(model: TriageModel, data: Any, subgroups: dict[str, Any], console: Console) -> None:
    def fit(advance: Any) -> None:
        model.fit(data.notes, data.disposition, data.complaint, subgroups=subgroups, progress=advance)

    show(model, fit, len(data.notes), console)


def show(model: TriageModel, fit: Callable[[Any], Any], notes: int, console: Console) -> None:
    """Run a fit behind a progress bar, then sum it up."""
    began = time.monotonic()
    with progress(console, None, "models") as advance:
        fit(lambda done, total, name: advance(name or "all complaints", total))
    console.print(summary(model))
    for name, reason in model.pooled_.items():
        console.print(f"{name}: the model of all complaints is used, {reason}", highlight=False, markup=False)
    console.print(f"[dim]{notes} notes in {time.monotonic() - began:.0f} s. {JUDGED}[/dim]", highlight=False)


def summary(model: TriageModel) -> Table:
    table = sheet("Models")
    table.add_column("complaint", min_width=16)
    for name in ("notes", "admitted", "topics used", "AUROC", "log loss", "calibration slope"):
        table.add_column(name.replace(" ", "\n"), justify="right", no_wrap=True)
    for name, one in model.models_.items():
        figures, lasso = one.record["out_of_fold"], one.record["lasso"]
        table.add_row(
            name or "all complaints",
            f"{one.n_notes:,}",
            f"{one.base_rate:.1%}",
            f"{lasso['topics_used']} of {one.n_topics}",
            f"{figures['auroc']:.3f}",
            f"{figures['log_loss']:.3f}",
            f"{figures['calibration_slope']:.2f} ± {figures['calibration_slope_error']:.2f}",
        )
    return table
