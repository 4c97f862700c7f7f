"""``sonmf fit``: notes in, a model file out."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

from sonmf.cli import options
from sonmf.cli.options import Settings
from sonmf.cli.output_files import check_model_target
from sonmf.cli.say import refuse
from sonmf.cli.terminal import Terminal, progress, style_text

if TYPE_CHECKING:
    from sonmf.text import NotesVectorizer
    from sonmf.triage import ComplaintModel, TriageModel
    from sonmf.triage.patients import Patients

EXAMPLES = {
    "columns note, disposition, complaint": "sonmf fit notes.csv -o model.sonmf",
    "the same, each column by its name": (
        "sonmf fit notes.csv --text note --label disposition --positive admitted --group complaint --topics 20 -o model.sonmf"
    ),
    "columns beside the note": "sonmf fit notes.csv --column age --column heart_rate --column esi:category",
    "a published data set, whose columns and outcomes are known": (
        "sonmf fit neiss2022.tsv --preset neiss --topics 10,50,100 -o neiss.sonmf"
    ),
    "as many topics as the notes of each complaint hold": "sonmf fit notes.csv --topics auto",
    "see which topics would come back with other patients": "sonmf fit notes.csv --stability 20",
    "a topic about these words": 'sonmf fit notes.csv --seed-topic "chest pain pressure"',
    "a folder of tables, as if they were one": "sonmf fit notes/ -o model.sonmf",
    "from a database": 'sonmf fit --sql "select note, disposition from triage" --database sqlite:///clinic.db',
}


def fit(
    *,
    notes: options.Notes = None,
    out: Annotated[Path, Option("-o", "--out", help="Model file to write.")] = Path("model.sonmf"),
    columns: options.ColumnOptions,
    topics: Annotated[
        str | None,
        Option(
            help="Number of topics per complaint; several with commas, to choose the best: 10,30,50; or auto: as many as the "
            "notes of the complaint support. (default: 10)"
        ),
    ] = None,
    method: Annotated[
        str, Option(help="sonmf, binary-sonmf, binary-sonmf-plain, nmf, onmf, semi-nmf, logistic-nmf or svd.")
    ] = "sonmf",
    words: options.WordOptions,
    measurements: options.Measurements = None,
    subgroup: options.Subgroup = None,
    min_notes: options.MinNotes = None,
    own_models: Annotated[
        str | None,
        Option(
            help="better: a complaint has a model of its own only if that forecasts held-out patients better than the model of "
            "all complaints; always: even if it does not, for the sake of its topics. (default: better)"
        ),
    ] = None,
    rule: options.Rule = None,
    reading: options.SourceOptions,
    stability: Annotated[
        int,
        Option(
            min=0,
            help="Fit the topics again to this many other draws of the patients, such as 20, and mark topics that do not come "
            "back. This takes as long as that many fits.",
        ),
    ] = 0,
    seed_topic: Annotated[
        list[str] | None,
        Option(
            metavar="WORDS",
            help='Words of a topic that you want, such as "chest pain pressure"; repeat for more. The topic is what the notes '
            "with these words have in common, and stays as it is; the fit finds the other topics.",
        ),
    ] = None,
    outcome_axes: options.OutcomeAxes = None,
    seed: options.Seed = 0,
    force: options.Force = False,
) -> None:
    """Learn topics and a calibrated forecast of admission for each complaint."""
    from sonmf.triage import TriageModel
    from sonmf.triage.factorisations import METHODS, fewest_named
    from sonmf.triage.inputs import AUTO
    from sonmf.triage.patients import Patients

    refuse(method not in METHODS, f"--method {method}: choose one of {', '.join(METHODS)}")
    counts = AUTO if topics == AUTO else options.topic_counts(topics, AUTO)
    settings = options.given(
        n_topics=counts,
        rule=rule,
        min_notes=min_notes,
        measurements=measurements,
        own_models=own_models,
        outcome_axes=outcome_axes,
    )
    model = TriageModel(method=method, random_state=seed, seed_topics=seed_topic or None, **settings)
    weighed, asked = words.settings(), columns.request(subgroup or ())
    options.check_missing(asked)  # before anything is read
    source = reading.open(notes)
    check_model_target(out, force, *source.places)
    console = Terminal()
    patients = Patients.read(source, asked, fewest=fewest_named(_vectorizer(weighed, method)))
    console.print_each(patients.remarks)
    vectorizer = _vectorizer(weighed, method, patients.drop_words)
    model.set_params(vectorizer=vectorizer, positive=patients.classes[1], kinds=patients.asked.kinds or None)
    checks = show_checks(console, patients, vectorizer)
    seconds = fit_with_progress(model, patients, console, stability)
    model.save(out)  # before anything else is printed: what was learned must not depend on it
    model.remarks_ = [remark for remark in model.remarks_ if remark not in checks]
    show(console, model, len(patients), seconds)
    options.say_digest(model)
    console.print("model written to ", style_text(out, "bold"), f"; next: sonmf topics {out}, sonmf predict {out} FILE")


def _vectorizer(words: Settings, method: str, leaking: Iterable[str] = ()) -> NotesVectorizer:
    """A vectoriser with these settings; by default it weights as the method needs it. Leaking words are left out."""
    from sonmf.text import NotesVectorizer
    from sonmf.triage.factorisations import METHODS, NEGATION

    dropped = [*leaking, *words.get("drop_words", ())]
    usual: Settings = {"weighting": METHODS[method].weighting, "negation": NEGATION}
    return NotesVectorizer(**usual | words | {"drop_words": dropped or None})


def show_checks(console: Terminal, patients: Patients, vectorizer: NotesVectorizer) -> list[str]:
    """Print what a person should know before the fit: outcomes, period, repeated patients, and what may be wrong."""
    from sonmf.triage.columns import kinds_of
    from sonmf.triage.fit_checks import fit_checks

    checks = fit_checks(patients, kinds_of(patients.columns, patients.asked.kinds or None), vectorizer)
    console.print_each(patients.facts)
    for check in checks:
        console.print(check, style="yellow")
    return checks


def fit_with_progress(model: TriageModel, patients: Patients, console: Terminal, stability: int = 0) -> float:
    """Fit a model to a table of patients; the seconds it took."""
    began = time.monotonic()
    with fit_progress(console) as advance:
        model.fit_patients(patients, advance, stability=stability)
    return time.monotonic() - began


@contextmanager
def fit_progress(console: Terminal) -> Iterator[Callable[[int, int, str], None]]:
    """A bar that is told after each fit how many are done, of how many, and the complaint."""
    with progress(console, None, "fits") as advance:
        yield lambda done, total, name: advance(name or "all complaints", total)


def show(console: Terminal, model: TriageModel, notes: int, seconds: float) -> None:
    """Print the figures of the models, and the complaints that have no model of their own."""
    from sonmf.triage import model_report

    head = ["complaint", "notes", "admitted", "topics used", "AUROC", "log loss", "of all complaints", "calibration slope"]
    rows = [_row(name, fitted) for name, fitted in model.by_name_.items()]
    console.table(head, rows, words=["complaint"], title="Models", elsewhere="see the report")
    for remark in model.remarks_:
        console.print(remark, style="yellow")
    for name, fitted in model.by_name_.items():
        if sentence := model_report.how_many(fitted):
            console.print(f"{model_report.title(name)}: {sentence}")
    for name, reason in model.pooled_.items():
        console.print(f"{name}: the model of all complaints is used, {reason}")
    console.print(f"{notes:,} notes in {seconds:.0f} s. {model_report.JUDGED}", style="dim")
    if not any(fitted.record.replicates for fitted in model.by_name_.values()):
        console.print(model_report.STABILITY_UNKNOWN, style="dim")


def _row(name: str, fitted: ComplaintModel) -> list[str]:
    figures, lasso = fitted.record.out_of_fold, fitted.record.lasso
    return [
        name or "all complaints",
        f"{fitted.n_notes:,}",
        f"{fitted.base_rate:.1%}",
        f"{lasso.topics_used} of {fitted.n_topics}",
        f"{figures.auroc:.3f}",
        f"{figures.log_loss:.3f}",
        next((f"{against.a:.3f}" for against in fitted.record.against_pooled if against.name == "log_loss"), "-"),
        f"{figures.calibration_slope:.2f} ± {figures.calibration_slope_error:.2f}",
    ]
