"""``sonmf demo``: the whole way from notes to an explained forecast, on generated notes, in a minute or two."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

from typer import Option

from sonmf import files
from sonmf.cli import evaluate, fit, monitor, options, predict, topics
from sonmf.cli.say import refuse
from sonmf.cli.terminal import Terminal, style_text
from sonmf.sources import open_table

if TYPE_CHECKING:
    import pandas as pd

    from sonmf.triage import TriageModel
    from sonmf.triage.patients import Patients

SHOWN = ("Shortness of Breath", "Lower Extremity Injury")
PATIENT = (
    "Shortness of Breath",
    "81 yo f c/o SOB x3 days, orthopnea, leg edema, sleeping in recliner, crackles at bases. Unable to lie flat, pale and "
    "diaphoretic. hx CHF, denies fever. sat 84% ra",
    {"age": 81, "sex": "F", "heart_rate": 112, "respiratory_rate": 28, "saturation": 84, "esi": 2, "ambulance": True},
)
NUMBERS_OF_TOPICS = [10, 30]
A_DAY = 120  # generated patients, about
LATER = 1800  # patients of the three months after the fit
PRESENT, NOW = 2800, "2025-04-22T14:00"  # patients of three weeks for the beds, of whom those count who came until then
WRITTEN = ("notes.csv", "model.sonmf", "report.html", "later.csv", "monitoring", "beds.csv")
EXAMPLES = {
    "a minute or two, no data needed": "sonmf demo",
}


def demo(
    *,
    notes: Annotated[int, Option(min=2000, help="Number of notes to generate.")] = 10_000,
    out: Annotated[Path, Option(help="Folder for the model and the evaluation.")] = Path("sonmf-demo"),
    seed: options.Seed = 0,
    force: Annotated[bool, Option("--force", help="Replace the demo in the folder.")] = False,
) -> None:
    """Generate notes, fit a model for each complaint, evaluate it, explain one patient, and monitor it for three months."""
    from sonmf.datasets import make_triage_notes
    from sonmf.triage import TriageModel
    from sonmf.triage.inputs import POOLED
    from sonmf.triage.patients import generated_patients

    console, began = Terminal(), time.monotonic()
    refuse(out.exists() and not out.is_dir(), f"--out {out} is a file: name a folder")
    there = [name for name in WRITTEN if (out / name).exists()]
    refuse(bool(there) and not force, f"{out} has {', '.join(there)}: give --force to replace a demo, or another --out")
    frame = make_triage_notes(notes, details=True, first_day=first_day(notes), random_state=seed)
    patients = generated_patients(frame, "notes.csv", "arrival")
    console.rule(f"{notes:,} generated triage notes, seven complaints")
    show_notes(console, frame, out)
    console.rule("topics and a calibrated classifier for each complaint")
    model = TriageModel(NUMBERS_OF_TOPICS, random_state=seed, kinds=patients.asked.kinds, own_models="always")
    fit.show(console, model, notes, fit.fit_with_progress(model, patients, console))
    console.print(
        "Every complaint keeps a model of its own here, for its topics, even if the model of all complaints forecasts better."
    )
    console.rule("on patients it has not seen, beside the plain bag of words")
    judge(console, model, generated_patients(frame, "notes.csv"), out)  # in random folds, as the figures of the fit
    console.rule("what the topics say, and what they do to the odds of admission")
    for complaint in [name for name in SHOWN if name in model.models_] or [POOLED]:
        topics.show(console, model.by_name_[complaint], words=5, most=8)
    console.rule("one patient, explained exactly")
    explain(console, model, frame, seed)
    console.rule("three months later: is the forecast still right?")
    watch(console, model, out, seed)
    files.replace(out / "beds.csv", lambda partial: three_weeks(seed + 2).to_csv(partial, index=False))
    console.rule(f"done in {time.monotonic() - began:.0f} s")
    say_what_next(console, out)


def first_day(notes: int) -> str:
    """The day on which the first of so many patients comes, if the last ones come at the end of 2024."""
    return (date(2025, 1, 1) - timedelta(days=notes // A_DAY + 3)).isoformat()


def show_notes(console: Terminal, frame: pd.DataFrame, out: Path) -> None:
    """Some of the notes; all of them go to a file."""
    for _, row in frame.drop_duplicates("complaint").head(3).iterrows():
        console.print(style_text(row["complaint"], "bold"), f" ({row['disposition']})  {row['note']}")
    files.replace(out / "notes.csv", lambda partial: frame.to_csv(partial, index=False))


def judge(console: Terminal, model: TriageModel, patients: Patients, out: Path) -> None:
    """Evaluate the method; the model is saved with the figures, and its report is written."""
    from sonmf.triage import TriageModel
    from sonmf.triage.evaluation import evaluation_settings
    from sonmf.triage.forecaster import WORDS
    from sonmf.web.report_page import write_report

    settings = evaluation_settings(
        patients, methods=["sonmf", WORDS], n_topics=NUMBERS_OF_TOPICS[-1:], kinds=patients.asked.kinds
    )
    evaluation = evaluate.evaluate_with_progress(patients, settings, console)
    model.evaluations_ = [evaluation]
    model.save(out / "model.sonmf")
    write_report(TriageModel.load(out / "model.sonmf"), out / "report.html")
    compare(console, evaluation.summary())


def explain(console: Terminal, model: TriageModel, frame: pd.DataFrame, seed: int) -> None:
    """One patient, and the beds for a shift of 40."""
    complaint, note, columns = PATIENT
    predict.explain(console, model.explain(note, complaint, columns), note)
    shift = frame.sample(40, random_state=seed)
    beds = model.expected_admissions(shift["note"], shift["complaint"], shift[model.columns_])
    admitted = int((shift["disposition"] == "admitted").sum())
    console.print(f"A shift of 40 of these patients: {beds}; {admitted} were admitted.")


def say_what_next(console: Terminal, out: Path) -> None:
    """The pages to open and the commands to try, as they work here."""
    for page in (out / "report.html", out / "monitoring" / monitor.PAGE):
        console.print("open  ", style_text(page, "bold"), "  in a browser")
    sonmf, model, later, beds = command_here(), *(quote(str(out / name)) for name in ("model.sonmf", "later.csv", "beds.csv"))
    console.print(f"next: {sonmf} serve {model}")
    console.print("      its page A list of patients takes ", style_text(out / "later.csv", "bold"))
    console.print("      its page Beds takes ", style_text(out / "beds.csv", "bold"))
    console.print(f"      {sonmf} beds {model} {beds} --time arrival --until departure --by ward")
    console.print(f"      {sonmf} monitor {model} {later} --time arrival --out {quote(str(out / 'monitoring'))}")
    console.print(f"      {sonmf} topics {model}")
    console.print(f"      {sonmf} predict {model}", ' --note "cough x2d" --complaint Cough')


def command_here() -> str:
    """What a shell calls this program here: sonmf where that is on the path, the way it was started elsewhere."""
    found, started = shutil.which("sonmf"), Path(sys.argv[0])
    on_path = found is not None and Path(found).resolve() == started.resolve()
    return quote(str(started)) if started.stem == "sonmf" and not on_path else "sonmf"


def watch(console: Terminal, model: TriageModel, out: Path, seed: int) -> None:
    """Compare three months of new patients, which contain a drift, with the model."""
    from sonmf.monitoring import Calendar, history
    from sonmf.monitoring.observations import references_of
    from sonmf.triage import Provenance

    later = three_months(seed + 1)
    files.replace(out / "later.csv", lambda partial: later.to_csv(partial, index=False))
    (out / "monitoring" / history.NAME).unlink(missing_ok=True)  # of an earlier demo
    console.print(
        "From February on, one in eight of the patients who would have been sent home is admitted. In March the notes have "
        "a new word. The model is not told. sonmf monitor finds both changes:"
    )
    source, names = open_table(out / "later.csv"), f"{out / 'model.sonmf'} {out / 'later.csv'}"
    overview = monitor.watch(
        model,
        source,
        Provenance.request(time="arrival"),
        Calendar("month"),
        references_of(model),
        out / "monitoring",
        names,
        console,
    )
    monitor.show(console, overview)


def three_months(seed: int) -> pd.DataFrame:
    """New patients of January, February and March; admission becomes easier in February, and March tests for a new virus."""
    import numpy as np

    from sonmf.datasets import make_triage_notes

    frame = make_triage_notes(LATER, details=True, random_state=seed)
    random, month = np.random.default_rng(seed), np.arange(LATER) * 3 // LATER + 1
    frame["arrival"] = [
        f"2025-{number:02d}-{day:02d}" for number, day in zip(month, random.integers(1, 29, LATER), strict=True)
    ]
    easier = (month > 1) & (frame["disposition"] == "discharged") & (random.random(LATER) < 1 / 8)
    frame.loc[easier, "disposition"] = "admitted"
    frame.loc[month == 3, "note"] += ", zoonavir pcr pending, zoonavir contact"
    return frame


def three_weeks(seed: int) -> pd.DataFrame:
    """Patients by the minute, for a forecast of beds; those who are still there have neither a departure nor an outcome."""
    from sonmf.datasets import make_triage_notes

    frame = make_triage_notes(PRESENT, details=True, first_day="2025-04-01", random_state=seed)
    frame = frame[frame["arrival"] <= NOW].copy()
    still = frame["departure"] > frame["arrival"].max()
    frame["departure"] = frame["departure"].mask(still)
    frame["disposition"] = frame["disposition"].mask(still)
    return frame


def compare(console: Terminal, summary: Sequence[evaluate.Row]) -> None:
    """Print, for each complaint, what notes and columns contribute alone and together, beside the bag of words."""
    from sonmf.triage.evaluation_results import BOTH, COLUMNS, NOTES
    from sonmf.triage.forecaster import WORDS

    rows = {(row["complaint"], row["method"], row["inputs"]): row for row in summary}
    shown = {
        "AUROC: notes": ("sonmf", NOTES, "auroc"),
        "columns": ("sonmf", COLUMNS, "auroc"),
        "both": ("sonmf", BOTH, "auroc"),
        "words + columns": (WORDS, BOTH, "auroc"),
        "log loss: both": ("sonmf", BOTH, "log_loss"),
        "log loss: words + columns": (WORDS, BOTH, "log_loss"),
    }
    body = []
    for complaint in dict.fromkeys(row["complaint"] for row in summary):
        cells = [(rows[complaint, method, inputs], figure) for method, inputs, figure in shown.values()]
        body.append([str(complaint), *(f"{row[figure]:.3f} ± {row[f'{figure}_error']:.3f}" for row, figure in cells)])
    console.table(["complaint", *shown], body, words=["complaint"], elsewhere="see the report")
