"""``sonmf fit``: notes in, a model file out."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, NamedTuple

from msgspec.structs import replace
from typer import Option

from sonmf.cli import options
from sonmf.cli.options import Settings
from sonmf.cli.output_files import check_model_target
from sonmf.cli.say import refuse
from sonmf.cli.terminal import Terminal, progress, style_text
from sonmf.sources import Source
from sonmf.text import NotesVectorizer
from sonmf.triage import ComplaintModel, TriageModel, model_report
from sonmf.triage import fit_memory as budget
from sonmf.triage.factorisations import METHODS, NEGATION, fewest_named
from sonmf.triage.file_columns import FileColumns
from sonmf.triage.inputs import AUTO
from sonmf.triage.labelled_notes import Labelled, read_labelled, read_parts, subgroup_columns, with_fingerprint
from sonmf.triage.provenance import Fingerprint
from sonmf.triage.temporary_store import TemporaryStore

EXAMPLES = (
    "[bold]sonmf fit notes.csv -o model.sonmf[/bold]  columns note, disposition, complaint",
    (
        "[bold]sonmf fit notes.csv --text note --label disposition --positive admitted --group complaint --topics 50 "
        "-o model.sonmf[/bold]"
    ),
    "[bold]sonmf fit notes.csv --column age --column hr --column esi:category[/bold]  columns beside the note",
    "[bold]sonmf fit neiss2022.tsv --preset neiss --topics 10,50,100 -o neiss.sonmf[/bold]",
    "[bold]sonmf fit notes.csv --topics auto[/bold]  as many topics as the notes of each complaint hold",
    "[bold]sonmf fit notes.csv --stability 20[/bold]  see which topics would come back with other patients",
    '[bold]sonmf fit notes.csv --seed-topic "chest pain pressure"[/bold]  a topic about these words',
    "[bold]sonmf fit notes/ --memory 2GB[/bold]  a folder larger than memory, one complaint at a time",
    '[bold]sonmf fit --sql "select note, disposition from triage" --database sqlite:///clinic.db[/bold]  from a database',
)


def fit(
    *,
    notes: options.Notes = None,
    out: Annotated[Path, Option("-o", "--out", help="Model file to write.")] = Path("model.sonmf"),
    columns: options.ColumnOptions,
    topics: Annotated[
        str | None,
        Option(
            help="Number of topics per complaint; several with commas, to choose the best: 10,30,50; or auto: as many as the "
            "notes of the complaint support. (default: 50)"
        ),
    ] = None,
    method: Annotated[
        str, Option(help="sonmf, binary-sonmf, binary-sonmf-plain, nmf, onmf, semi-nmf, logistic-nmf or svd.")
    ] = "sonmf",
    words: options.WordOptions,
    measurements: options.Measurements = None,
    subgroup: options.Subgroup = None,
    min_notes: options.MinNotes = None,
    rule: options.Rule = None,
    reading: options.SourceOptions,
    stability: Annotated[
        int,
        Option(
            min=0,
            help="Fit the topics again to this many other draws of the patients, such as 20, and mark topics that do not come "
            "back. Takes the time of that many fits more.",
        ),
    ] = 0,
    seed_topic: Annotated[
        list[str] | None,
        Option(
            help='Words of a topic that you want, such as "chest pain pressure"; repeat for more. The topic is what the notes '
            "with these words have in common, and stays as it is; the fit finds the other topics."
        ),
    ] = None,
    memory: Annotated[
        str | None, Option(help="Memory to stay within, such as 2GB: notes wait on disk until their complaint is fitted.")
    ] = None,
    seed: options.Seed = 0,
    force: options.Force = False,
) -> None:
    """Learn topics and a calibrated forecast of admission for each complaint."""
    refuse(method not in METHODS, f"--method {method}: choose one of {', '.join(METHODS)}")
    counts = AUTO if topics == AUTO else options.topic_counts(topics, AUTO)
    settings = options.given(n_topics=counts, rule=rule, min_notes=min_notes, measurements=measurements)
    model = TriageModel(method=method, random_state=seed, seed_topics=seed_topic or None, **settings)
    weighed = words.settings()
    named = columns.file_columns()
    options.check_missing(named)  # before anything is read
    source = reading.open(notes)
    check_model_target(out, force, *source.places)
    named = named._replace(min_df=fewest_named(_vectorizer(weighed, method)))
    console = Terminal()
    asked = Asked(named, subgroup or [], weighed, stability, memory)
    fit_all = fit_in_memory if memory is None else fit_from_disk
    count, seconds = fit_all(source, asked, model, console)
    model.save(out)  # before anything else is printed: what was learned must not depend on it
    show(console, model, count, seconds)
    options.say_digest(model)
    console.print("model written to ", style_text(out, "bold"), f"; next: sonmf topics {out}, sonmf predict {out} FILE")


class Asked(NamedTuple):
    """What the options say."""

    columns: FileColumns
    subgroups: list[str]
    words: Settings
    stability: int
    memory: str | None


def _vectorizer(words: Settings, method: str, leaking: Iterable[str] = ()) -> NotesVectorizer:
    """A vectoriser with these settings; by default it weights as the method needs it. Leaking words are left out."""
    dropped = [*leaking, *words.get("drop_words", ())]
    usual: Settings = {"weighting": METHODS[method].weighting, "negation": NEGATION}
    return NotesVectorizer(**usual | words | {"drop_words": dropped or None})


def fit_in_memory(source: Source, asked: Asked, model: TriageModel, console: Terminal) -> tuple[int, float]:
    """Fit a model to all patients at once; how many they are, and the seconds it took."""
    data = read_labelled(source, asked.columns, asked.subgroups)
    console.print_each(data.remarks)
    vectorizer = _vectorizer(asked.words, model.method, data.drop_words)
    model.set_params(vectorizer=vectorizer, positive=data.positive, kinds=dict(data.kinds) or None)
    seconds = fit_with_progress(model, data, console, asked.stability)
    model.provenance_ = with_fingerprint(data)
    return len(data.notes), seconds


def fit_from_disk(source: Source, asked: Asked, model: TriageModel, console: Terminal) -> tuple[int, float]:
    """Fit a model within ``asked.memory``: patients wait on disk until their complaint is fitted."""
    budget.room(str(asked.memory))  # refused before anything is read
    plan, parts = read_parts(source, asked.columns, asked.subgroups)
    said = plan.remarks
    console.print_each(said)
    named, mark = plan.named, Fingerprint()
    vectorizer = _vectorizer(asked.words, model.method, named.drop_words)
    model.set_params(vectorizer=vectorizer, positive=plan.positive, kinds=dict(named.kinds) or None)
    with TemporaryStore(plan.classes) as store:
        for part in parts:
            store.add(part.notes, part.disposition, part.complaint, subgroup_columns(part), part.columns)
            mark.add(part.notes, part.disposition, part.complaint)
        console.print_each([remark for remark in plan.remarks if remark not in said])
        if remark := budget.keep_within(str(asked.memory), store, model):
            console.print(remark)
        began = time.monotonic()
        with fit_progress(console) as advance:
            model.fit_patients(store, advance, stability=asked.stability)
        model.provenance_ = replace(plan.provenance, data=mark.hexdigest())
        return len(store), time.monotonic() - began


def fit_with_progress(model: TriageModel, data: Labelled, console: Terminal, stability: int = 0) -> float:
    """Fit a model to patients in memory; the seconds it took."""
    began, patients = time.monotonic(), (data.notes, data.disposition, data.complaint, data.columns)
    with fit_progress(console) as advance, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # ``show`` prints the remarks
        model.fit(*patients, subgroups=subgroup_columns(data), stability=stability, progress=advance)
    return time.monotonic() - began


@contextmanager
def fit_progress(console: Terminal) -> Iterator[Callable[[int, int, str], None]]:
    """A bar that is told after each fit how many are done, of how many, and the complaint."""
    with progress(console, None, "fits") as advance:
        yield lambda done, total, name: advance(name or "all complaints", total)


def show(console: Terminal, model: TriageModel, notes: int, seconds: float) -> None:
    """Print the figures of the models, and the complaints that have no model of their own."""
    head = ["complaint", "notes", "admitted", "topics used", "AUROC", "log loss", "calibration slope"]
    rows = [_row(name, one) for name, one in model.by_name_.items()]
    console.table(head, rows, words=["complaint"], title="Models", elsewhere="see the report")
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
