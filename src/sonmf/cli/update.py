"""``sonmf update``: a model and new patients in, a new model out, with its figures before and after."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

from sonmf.cli import options
from sonmf.cli.fit import fit_progress
from sonmf.cli.output_files import check_model_target
from sonmf.cli.say import refuse, stop
from sonmf.cli.terminal import Terminal, style_text

if TYPE_CHECKING:
    from sonmf.triage import TriageModel
    from sonmf.triage.model_update import Change, OldTopic, Update
    from sonmf.triage.recalibration import Line

JUDGED = {
    True: "Before: the old model. After: every patient is forecast by a recalibration to the other four fifths of them.",
    False: "Before: the old model. After: every patient is forecast by a refit to the other two thirds of them. If the old "
    "model was fitted to some of these patients, it looks better here than it is.",
}
HEAD = ["log loss before", "after", "change", "AUROC before", "after", "change", "calibration slope before", "after"]
EXAMPLES = {
    "the same topics, forecasts as in June": "sonmf update model.sonmf june.csv -o june.sonmf",
    "topics and effects of the last year": "sonmf update model.sonmf last_year.csv --how refit -o new.sonmf",
    "then see which is better on patients that neither has seen": "sonmf compare model.sonmf june.sonmf july.csv",
}


def update(
    *,
    model: options.ModelFile,
    notes: options.Notes = None,
    out: Annotated[Path | None, Option("-o", "--out", help="Model file to write; the old one is kept.")] = None,
    how: Annotated[
        str,
        Option(
            help="recalibrate: a new intercept and slope for each complaint whose outcomes differ from the forecasts; "
            "refit: new words, topics and effects, from a fit that starts at the old topics and keeps their names."
        ),
    ] = "recalibrate",
    reading: options.SourceOptions,
    expect_sha256: options.Expected = None,
    force: options.Force = False,
) -> None:
    """Bring a model up to date with new patients and their outcomes, which are read as those of its fit were.

    The new model records its lineage, which `sonmf topics`, the report and the page show.
    """
    from sonmf.triage import evaluation_file, lineage
    from sonmf.triage.lineage import RECALIBRATE
    from sonmf.triage.model_update import WAYS, update_with
    from sonmf.triage.patient_stream import read_as_fitted

    refuse(how not in WAYS, f"--how {how}: choose {' or '.join(WAYS)}")
    if out is None:
        stop("name the new model with -o, such as -o updated.sonmf: the old one stays as it is")
    source = reading.open(notes)
    check_model_target(out, force, *source.places, model)
    evaluations = evaluation_file.evaluations_path(out)
    refuse(evaluations.exists(), f"{evaluations} belongs to another model of that name: move it, or choose another name")
    old, console, recalibrates = options.load_model(model, expect_sha256), Terminal(), how == RECALIBRATE
    patients = read_as_fitted(old, source)
    console.print_each(patients.remarks)
    if made := lineage.has_seen(old, patients.fingerprint):
        console.print(f"{source}: the model was {made} on these patients, so they add nothing new", style="yellow")
    with fit_progress(console) as advance:
        changed = update_with(old, patients, how, source.name, advance)
    new = changed.model
    new.save(out)  # before anything else is printed: what was learned must not depend on it
    (show_recalibrated if recalibrates else show_refitted)(console, old, changed)
    console.print(JUDGED[recalibrates], style="dim")
    names = ("the old model", "the recalibrated model") if recalibrates else ("the recalibrated old model", "the refit")
    console.print(f"Judged on {changed.comparison.patients:,} patients. {changed.comparison.verdict(*names)}")
    if not recalibrates and not changed.comparison.improves:
        console.print(
            "No clear gain over a recalibration, which keeps what was learned before: leave out --how refit", style="yellow"
        )
    console.print(f"lineage: {lineage.in_words(new)}")
    options.say_digest(new)
    console.print(
        "model written to ", style_text(out, "bold"), f"; next: sonmf compare {model} {out} FILE, with later patients"
    )


def show_recalibrated(console: Terminal, model: TriageModel, updated: Update) -> None:
    """Print a row for each model, and what could not be changed."""
    from sonmf.triage.model_report import title
    from sonmf.triage.recalibration import UNCHANGED

    head = ["complaint", "patients", "admitted", "forecast", "recalibrated", *HEAD]
    rows = [[*_whom(change), f"{change.forecast:.1%}", _in_words(change.line), *_figures(change)] for change in updated.changes]
    console.table(head, rows, words=["complaint", "recalibrated"], title="Recalibration", elsewhere="use a wider window")
    for change in updated.changes:
        if change.reason:
            console.print(f"{title(change.name)}: not changed, {change.reason}", style="yellow")
    if unseen := [name for name in model.models_ if name not in {change.name for change in updated.changes}]:
        console.print(f"not changed, without new patients: {', '.join(unseen)}")
    changed = sum(change.line != UNCHANGED for change in updated.changes)
    console.print(
        f"{changed} of {len(model.by_name_)} models changed, where the outcomes differ from the forecasts by more than chance "
        "(closed test, 5% each). Words, topics and the proportions of their effects stay."
    )


def _in_words(line: Line) -> str:
    import numpy as np

    from sonmf.triage.recalibration import UNCHANGED

    if line == UNCHANGED:
        return "none"
    odds = f"odds x {np.exp(line.intercept):.2f}"
    return odds if line.slope == 1 else f"{odds}, effects x {line.slope:.2f}"


def show_refitted(console: Terminal, model: TriageModel, updated: Update) -> None:
    """Print a row for each model, and what became of topics with a name."""
    from sonmf.triage.model_report import title
    from sonmf.triage.model_update import SAME

    head = ["complaint", "patients", "admitted", "same topics", "names kept", *HEAD]
    rows = [[*_whom(change), *_topics(change), *_figures(change)] for change in updated.changes]
    console.table(head, rows, words=["complaint"], title="Refit", elsewhere="use a wider window")
    for change in updated.changes:
        for number, topic in enumerate(change.topics or []):
            if topic.label and not topic.same:
                console.print(f"{title(change.name)}, {_became(number, topic)}", style="yellow")
    if new := [title(change.name) for change in updated.changes if change.topics is None]:
        console.print(f"complaints with a model for the first time: {', '.join(new)}")
    if updated.gone:
        few = "too few patients"
        for name in updated.gone:
            console.print(f"{name}: no model of its own now, {updated.model.pooled_.get(name, few)}")
    console.print(
        f"A topic is the same if its words match an old one (cosine of at least {SAME}). The new model has learned from these "
        "patients alone."
    )


def _topics(change: Change) -> list[str]:
    """How many old topics, and how many of their names, are still there."""
    if change.topics is None:
        return ["-", "-"]
    named = [topic for topic in change.topics if topic.label]
    kept = [sum(topic.same for topic in change.topics), sum(topic.alike for topic in named)]
    return [f"{kept[0]} of {len(change.topics)}", f"{kept[1]} of {len(named)}"]


def _became(number: int, topic: OldTopic) -> str:
    """What to say of a named topic that has changed."""
    if topic.alike:
        now = f"now topic {topic.place}, " if topic.place != number else ""
        return (
            f"topic {number} {topic.label}: {now}it has changed (cosine {topic.cosine:.2f}), check whether the name still fits"
        )
    return f"topic {number} {topic.label}: no topic is like it any more, so the name is lost"


def _whom(change: Change) -> list[str]:
    from sonmf.triage.model_report import title

    return [title(change.name), f"{change.notes:,}", f"{change.admitted / change.notes:.1%}"]


def _figures(change: Change) -> list[str]:
    """Log loss, AUROC and slope before and after, and how much the first two changed with a 95% interval."""
    cells: list[str] = []
    for name, digits in (("log_loss", 3), ("auroc", 3), ("calibration_slope", 2)):
        difference = change.difference(name)
        figures = ["-", "-"] if difference is None else [f"{value:.{digits}f}" for value in (difference.a, difference.b)]
        interval = "-" if difference is None else f"[{difference.low:+.3f}, {difference.high:+.3f}]"
        cells += figures if name == "calibration_slope" else [*figures, interval]
    return cells
