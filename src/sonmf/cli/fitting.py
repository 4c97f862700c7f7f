"""``sonmf fit``: notes in, a model file out."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from sonmf.cli.models import say_digest
from sonmf.cli.notes import say_remarks
from sonmf.cli.say import refuse
from sonmf.cli.targets import check_target
from sonmf.cli.terminal import Terminal, progress, styled
from sonmf.sources import Source
from sonmf.triage import ComplaintModel, TriageModel, model_report, topic_labels
from sonmf.triage import fit_memory as budget
from sonmf.triage.file_columns import FileColumns
from sonmf.triage.labelled_notes import read_labelled, read_parts, subgroup_columns, with_fingerprint
from sonmf.triage.provenance import Fingerprint
from sonmf.triage.temporary_store import TemporaryStore


def run(
    source: Source,
    columns: FileColumns,
    model: TriageModel,
    make_vectorizer: Any,
    subgroups: list[str],
    out: Path,
    *,
    stability: int,
    memory: str | None,
    force: bool,
) -> None:
    console = Terminal()
    check_target(out, force, *source.places)
    refuse(
        topic_labels.read_labels(out),
        f"{topic_labels.labels_path(out)} names topics of an earlier fit: move it; sonmf update --how refit keeps names",
    )
    if memory is None:
        data = read_labelled(source, columns, subgroups)
        say_remarks(console, data.remarks)
        model.set_params(vectorizer=make_vectorizer(data.drop_words), positive=data.positive, kinds=dict(data.kinds) or None)
        count, spent = len(data.notes), fit_with_progress(model, data, subgroup_columns(data), console, stability)
        model.provenance_ = with_fingerprint(data)
    else:
        budget.room(memory)  # refused before anything is read
        plan, parts = read_parts(source, columns, subgroups)
        said = plan.remarks
        say_remarks(console, said)
        model.set_params(vectorizer=make_vectorizer(plan.named.drop_words), positive=plan.positive)
        model.set_params(kinds=dict(plan.named.kinds) or None)
        mark = Fingerprint()
        with TemporaryStore(plan.classes) as store:
            for part in parts:
                store.add(part.notes, part.disposition, part.complaint, subgroup_columns(part), part.columns)
                mark.add(part.notes, part.disposition, part.complaint)
            say_remarks(console, [remark for remark in plan.remarks if remark not in said])
            if remark := budget.keep_within(memory, store, model):
                console.print(remark)
            count = len(store)
            spent = timed(lambda advance: model.fit_patients(store, advance, stability=stability), console)
        model.provenance_ = replace(plan.provenance, data=mark.hexdigest())
    model.save(out)  # before anything else is printed: what was learned must not depend on it
    show(console, model, count, spent)
    say_digest(model)
    console.print("model written to ", styled(out, "bold"), f"; next: sonmf topics {out}, sonmf predict {out} FILE")


def fit_with_progress(model: TriageModel, data: Any, subgroups: dict[str, Any], console: Terminal, stability: int = 0) -> float:
    """Seconds that it took."""

    def fit(advance: Any) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # the remarks are said below
            model.fit(
                data.notes,
                data.disposition,
                data.complaint,
                data.columns,
                subgroups=subgroups,
                stability=stability,
                progress=advance,
            )

    return timed(fit, console)


def timed(fit: Callable[[Any], Any], console: Terminal) -> float:
    """Run a fit behind a progress bar; the seconds it took."""
    began = time.monotonic()
    with progress(console, None, "fits") as advance:
        fit(lambda done, total, name: advance(name or "all complaints", total))
    return time.monotonic() - began


def show(console: Terminal, model: TriageModel, notes: int, seconds: float) -> None:
    """The models in figures, and the complaints that have none of their own."""
    head = ["complaint", "notes", "admitted", "topics used", "AUROC", "log loss", "calibration slope"]
    rows = [_row(name, one) for name, one in model.by_name_.items()]
    console.say_left_out(console.table(head, rows, words=["complaint"], title="Models"), "see the report")
    for remark in model.remarks_:
        console.print(remark, style="yellow")
    for name, one in model.by_name_.items():
        if told := model_report.how_many(one):
            console.print(f"{model_report.title(name)}: {told}")
    for name, reason in model.pooled_.items():
        console.print(f"{name}: the model of all complaints is used, {reason}")
    console.print(f"{notes:,} notes in {seconds:.0f} s. {model_report.JUDGED}", style="dim")


def _row(name: str, one: ComplaintModel) -> list[str]:
    figures, lasso = one.record.out_of_fold, one.record.lasso
    return [
        name or "all complaints",
        f"{one.n_notes:,}",
        f"{one.base_rate:.1%}",
        f"{lasso.topics_used} of {one.n_topics}",
        f"{figures.auroc:.3f}",
        f"{figures.log_loss:.3f}",
        f"{figures.calibration_slope:.2f} ± {figures.calibration_slope_error:.2f}",
    ]
