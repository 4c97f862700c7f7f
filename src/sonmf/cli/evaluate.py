"""``sonmf evaluate``: compare the methods on your own notes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from typer import Option

from sonmf import files
from sonmf.cli import options
from sonmf.cli.options import Settings
from sonmf.cli.output_files import check_folder
from sonmf.cli.say import refuse, resumable, stop
from sonmf.cli.terminal import Terminal, progress
from sonmf.experiments.paper_tables import markdown_table, write_text
from sonmf.files import escape_formula
from sonmf.sources import TableError

if TYPE_CHECKING:
    import numpy as np

    from sonmf.text import NotesVectorizer
    from sonmf.triage import Evaluation, TriageModel
    from sonmf.triage.evaluation_results import EvaluationSettings, JudgedMethod
    from sonmf.triage.patients import Patients
    from sonmf.triage.provenance import Provenance
    from sonmf.triage.records import Estimate, Subgroup, Threshold

SHOWN = (
    "auroc", "log_loss", "calibration_slope", "accuracy", "auprc", "brier",
    "residual", "condition", "correlation", "npmi", "diversity",
)  # fmt: skip
"""Those that decide first: a narrow terminal shows no others."""
SPLITS = ("random", "time")
WRITTEN = ("results.csv", "evaluation.json", "table.md", "subgroups.csv", "thresholds.csv", "study.json")
COSTS = (0.1, 0.2, 0.3, 0.5, 0.7)  # thresholds that are printed; all are in the files


Row = Mapping[str, Any]
"""Of ``Evaluation.summary()``: a complaint, a method, its inputs, a number of topics, and the figures."""

EXAMPLES = {
    "all methods side by side": "sonmf evaluate notes.csv --topics 10,50 --repeats 2",
    "trained on the past": "sonmf evaluate notes.csv --split time --time arrival --since 2024-01",
    "as the model was fitted": "sonmf evaluate notes/ --methods sonmf,words --subgroup sex --model model.sonmf",
}


def evaluate(
    *,
    notes: options.Notes = None,
    out: Annotated[Path, Option("-o", "--out", help="Folder for tables and finished fits.")] = Path("evaluation"),
    columns: options.ColumnOptions,
    topics: Annotated[
        str | None, Option(help="Number of topics per complaint; separate several with commas: 10,30,50. (default: 10)")
    ] = None,
    methods: Annotated[
        str | None,
        Option(
            help="Methods, separated by commas: those of fit, and words for the plain bag of words. "
            "(default: sonmf,nmf,onmf,semi-nmf,svd,words)"
        ),
    ] = None,
    split: Annotated[
        str, Option(help="random: shuffled folds; time: periods, each judged by a fit to all patients before it.")
    ] = "random",
    since: Annotated[
        str | None,
        Option(help="Start of the first period of --split time, such as 2019-12. (default: the last 30% of the patients)"),
    ] = None,
    folds: Annotated[int, Option(min=1, help="Number of folds, or of periods.")] = 5,
    repeats: Annotated[int, Option(min=1, help="How often the folds are shuffled; 20 in the paper.")] = 1,
    words: options.WordOptions,
    measurements: options.Measurements = None,
    subgroup: options.Subgroup = None,
    min_notes: options.MinNotes = None,
    rule: options.Rule = None,
    reading: options.SourceOptions,
    model: Annotated[
        Path | None,
        Option(
            help="Model to judge as it was fitted: its columns, outcomes, topics and words are the defaults, "
            "and the figures are kept beside it for its report."
        ),
    ] = None,
    expect_sha256: options.Expected = None,
    jobs: Annotated[
        int | None, Option(min=1, help="Number of processes, each with one thread. (default: one per core)")
    ] = None,
    outcome_axes: options.OutcomeAxes = None,
    seed: options.Seed = 0,
) -> None:
    """Compare the methods on patients that they have not seen: everything is learned from the training folds.

    Finished fits are kept in the folder. After an interruption, the same command continues.
    """
    from sonmf.text import NotesVectorizer
    from sonmf.triage.evaluation import evaluation_settings
    from sonmf.triage.evaluation_file import differences, evaluations_path, keep
    from sonmf.triage.evaluation_results import TITLES
    from sonmf.triage.factorisations import NEGATION, fewest_named
    from sonmf.triage.patients import Patients

    settings = options.given(
        methods=[name.strip() for name in methods.split(",")] if methods else None,
        folds=folds,
        repeats=repeats,
        since=check_split(split, folds, repeats, since),
        random_state=seed,
        n_topics=options.topic_counts(topics),
        rule=rule,
        min_notes=min_notes,
        measurements=measurements,
        outcome_axes=outcome_axes,
    )
    asked, weighed, source = columns.request(subgroup or ()), words.settings(), reading.open(notes)
    unknown = [name for name in settings.get("methods", ()) if name not in TITLES]
    refuse(unknown, f"--methods {','.join(unknown)}: choose one of {', '.join(TITLES)}")
    refuse(expect_sha256 and not model, "--expect-sha256 is for --model: give the model file too")
    refuse(asked.time and split != "time", "--time is for --split time: give that too")
    check_folder(out, WRITTEN, *source.places, *([model] if model else []))
    console, fitted = Terminal(), options.load_model(model, expect_sha256) if model else None
    usual = fitted.pooled_model_.vectorizer.get_params() if fitted else {"negation": NEGATION}
    vectorizer = NotesVectorizer(**usual | weighed)
    like = fitted.provenance_ if fitted else None
    asked = msgspec.structs.replace(asked, time=_time(asked, like) if split == "time" else None)
    options.check_missing(asked, like)
    with resumable("no fit had begun: the same command starts again"):
        patients = Patients.read(source, asked, like, fewest=fewest_named(vectorizer))
    show_remarks(console, patients)
    settings = settings_like(fitted, settings) | settings_for(patients, fitted, vectorizer)
    evaluation = evaluate_with_progress(patients, evaluation_settings(patients, **settings), console, out, jobs)
    write(evaluation, out)
    if fitted and model:
        keep(fitted, model, evaluation)
    show(console, evaluation)
    tables = [name for name in ("table.md", "subgroups.csv", "thresholds.csv") if (out / name).exists()]
    console.print(f"{out / 'results.csv'}, {', '.join(tables)}, evaluation.json", style="dim")
    if fitted and model:
        console.print(f"kept beside the model for its report, in {evaluations_path(model)}")
        console.print_each(
            f"not about the model as it was fitted: {difference}" for difference in differences(evaluation, fitted)
        )


def _time(asked: Provenance, like: Provenance | None) -> str:
    """The column of the arrival for a split by time."""
    time = asked.time or (like.time if like else None)
    return time or stop("--split time needs the column of the arrival: name it with --time")


def show_remarks(console: Terminal, patients: Patients) -> None:
    """Print how the patients were read, and how many have no time."""
    import numpy as np

    from sonmf.sources import dates

    console.print_each(patients.remarks)
    if patients.times is not None and (timeless := int(np.isnat(patients.times).sum())):
        name = dates.column_and_order(str(patients.asked.time))[0]
        console.print(f"{timeless:,} rows have no time in column {name} and are left out")


def check_split(split: str, folds: int, repeats: int, since: str | None) -> np.datetime64 | None:
    """The start of the first period, if it was given; options that contradict each other are refused."""
    import numpy as np

    from sonmf.sources import dates

    refuse(split not in SPLITS, f"--split {split}: choose {' or '.join(SPLITS)}")
    refuse(split == "random" and folds < 2, f"--folds {folds}: at least 2 are needed, unless with --split time")
    refuse(split == "random" and since, "--since is for --split time: give that too")
    refuse(split == "time" and repeats > 1, "--repeats shuffles folds, and --split time has none to shuffle: leave it out")
    if since is None:
        return None
    try:
        start: np.datetime64 = dates.parse_times([since], "--since", "the command line")[0]
    except TableError:  # which names rows of a column
        start = np.datetime64("NaT")
    refuse(np.isnat(start), f"--since {since}: write one date, such as 2024-03-31; 3/4/2024 could be two")
    return start


def settings_like(fitted: TriageModel | None, settings: Settings) -> Settings:
    """The settings that were given, else those of the model, whose own method is evaluated too, else the usual ones."""
    from sonmf.triage.evaluation_results import RIVALS

    usual: Settings = {"methods": list(RIVALS)}
    if fitted is not None:
        usual = {name: getattr(fitted, name) for name in ("rule", "min_notes", "measurements", "seed_topics", "outcome_axes")}
        usual["n_topics"] = fitted.tried_
        usual["methods"] = list(dict.fromkeys([fitted.method, *RIVALS]))
    return usual | settings


def settings_for(patients: Patients, fitted: TriageModel | None, vectorizer: NotesVectorizer) -> Settings:
    """What the patients themselves decide."""
    vectorizer.set_params(drop_words=list(dict.fromkeys([*patients.drop_words, *(vectorizer.drop_words or ())])) or None)
    kinds = dict((fitted.kinds if fitted else None) or {}) | patients.asked.kinds  # as given, else as in the model
    return {
        "vectorizer": vectorizer,
        "kinds": {name: kind for name, kind in kinds.items() if name in patients.columns},
    }


def evaluate_with_progress(
    patients: Patients,
    settings: EvaluationSettings,
    console: Terminal,
    folder: Path | None = None,
    processes: int | None = None,
) -> Evaluation:
    from sonmf.triage.evaluation import evaluate_patients
    from sonmf.triage.evaluation_results import TITLES

    how = f"finished fits are kept under {folder}, the same command continues with them" if folder else "start again"
    with resumable(how), progress(console, None, "fits") as advance:
        return evaluate_patients(
            patients,
            settings,
            processes=processes,
            folder=folder,
            progress=lambda done, total, cell: advance(f"{cell.complaint} {TITLES[cell.method]}".strip(), total),
        )


def write(evaluation: Evaluation, out: Path) -> None:
    """Write a table of all fits, everything but the date as JSON, and the figures as a Markdown table."""
    from sonmf.triage import strict_json

    what_repeats = {name: value for name, value in msgspec.structs.asdict(evaluation).items() if name != "date"}
    strict_json.write(what_repeats, out / "evaluation.json")
    write_text(out / "table.md", markdown_table(*cells(evaluation)))
    tables = {"results": evaluation.frame(), **{name: evaluation.table(name) for name in ("subgroups", "thresholds")}}
    for name, table in tables.items():
        if table.empty:  # no subgroups were asked for, and those of an earlier run are not of these figures
            (out / f"{name}.csv").unlink(missing_ok=True)
            continue
        spelt = table.map(lambda cell: escape_formula(cell) if isinstance(cell, str) else cell)
        files.replace(out / f"{name}.csv", partial(spelt.to_csv, index=False))


def cells(evaluation: Evaluation) -> tuple[list[str], list[list[str]]]:
    """Header and rows of the table. The best AUROC is not marked: the errors show which differences matter."""
    summary = sorted(evaluation.summary(), key=_order)
    head, rows = _table(summary)
    if len({row["complaint"] for row in summary}) == 1:
        return head, rows
    return ["complaint", *head], [[row["complaint"], *cells] for row, cells in zip(summary, rows, strict=True)]


def _table(summary: Sequence[Row]) -> tuple[list[str], list[list[str]]]:
    """The column of inputs is left out if all rows have the same inputs."""
    from sonmf.triage.evaluation_results import FIGURES

    head, rows = ["method", "from", "K", *(FIGURES[name] for name in SHOWN)], [_row(row) for row in summary]
    if len({row["inputs"] for row in summary}) == 1:
        return [head[0], *head[2:]], [[row[0], *row[2:]] for row in rows]
    return head, rows


def _order(row: Row) -> tuple[str, int, int]:
    from sonmf.triage.evaluation_results import INPUTS

    return row["complaint"], row["n_topics"], -INPUTS.index(row["inputs"])


def _row(row: Row) -> list[str]:
    from sonmf.triage.evaluation_results import COLUMNS, TITLES

    topics, method = str(row["n_topics"] or "-"), "-" if row["inputs"] == COLUMNS else TITLES[row["method"]]
    return [method, row["inputs"], topics, *(_figure(row, name) for name in SHOWN)]


def show(console: Terminal, evaluation: Evaluation) -> None:
    """Print a table for each complaint, the most important figures first, and what they say about the methods."""
    summary = sorted(evaluation.summary(), key=_order)
    console.print(_about(evaluation, max(row["fits"] for row in summary)))
    console.print()
    left: Sequence[str] = ()
    about = {method.complaint: _about_patients(method) for method in evaluation.methods}
    for complaint, of_complaint in groupby(summary, key=lambda row: row["complaint"]):
        head, rows = _table(list(of_complaint))
        left = max(left, console.table(head, rows, words=["method", "from"], title=about[complaint]), key=len)
        console.print()
    console.say_left_out(left, "see table.md")
    for name, reason in evaluation.left_out.items():
        console.print(f"{name or 'without a complaint'}: left out, {reason}")
    show_leading(console, evaluation.leading)
    if evaluation.verdict:
        console.print()
        console.print_each(evaluation.verdict)


def show_leading(console: Terminal, method: JudgedMethod) -> None:
    """Print of the method that leads, over all patients, what thresholds cost, how calibrated it is, and its subgroups."""
    from sonmf.triage.evaluation_verdict import Rival
    from sonmf.triage.measures import calibration_in_words

    named = f"{Rival(method.method, method.n_topics)}, {method.patients:,} patients, {method.inputs}"
    costs = [cost for cost in method.thresholds if cost.threshold in COSTS]
    if costs:
        console.print()
        head = ["prepare from", "flagged of 100", "missed", "in vain", "sensitivity", "PPV", "net benefit", "if for all"]
        console.table(head, list(map(_cost, costs)), title=f"What a threshold costs: {named}", elsewhere="see thresholds.csv")
        if method.days is not None:
            a_day = {cost.threshold: cost.flagged.value * method.patients / method.days for cost in costs}
            console.print(f"Flagged a day: {', '.join(f'{count:.1f} from {limit:.0%} on' for limit, count in a_day.items())}")
    if calibration := calibration_in_words(method.reliability):
        console.print()
        console.print(" ".join(calibration))
    if method.subgroups:
        console.print()
        head = ["group", "patients", "forecast of 100", "admitted of 100", "AUROC", "calibration slope"]
        rows = list(map(_group, method.subgroups))
        console.table(head, rows, words=["group"], title=f"By subgroup: {named}", elsewhere="see subgroups.csv")


def _cost(cost: Threshold) -> list[str]:
    """A row on a threshold: patients of 100, then shares."""
    of_100 = [_interval(figure, 100, 0) for figure in (cost.flagged, cost.missed, cost.in_vain)]
    shares = [_interval(cost.sensitivity, 1, 2), _interval(cost.ppv, 1, 2), _interval(cost.net_benefit, 1, 3)]
    return [f"{cost.threshold:.0%}", *of_100, *shares, f"{cost.prepare_for_all:.3f}"]


def _group(group: Subgroup) -> list[str]:
    calibration = [f"{100 * group.forecast:.0f}", _interval(group.admitted, 100, 0)]
    figures = [_interval(group.auroc, 1, 2), _interval(group.calibration_slope, 1, 2)]
    return [f"{group.column}: {group.value}", f"{group.n:,}", *calibration, *figures]


def _interval(figure: Estimate, times: float, digits: int) -> str:
    """A figure and its interval; a dash if there is none."""
    if figure.value != figure.value:
        return "-"
    value, low, high = (f"{times * number:.{digits}f}" for number in (figure.value, figure.low, figure.high))
    return f"{value} [{low}, {high}]"


def _about_patients(method: JudgedMethod) -> str:
    """The complaint, its patients, and how often one forecast for all of them is right, which accuracy has to beat."""
    share = method.admitted / method.patients
    patients = f"{method.patients:,} patients, {share:.1%} admitted"
    return (
        f"{method.complaint or 'All notes'}: {patients}, so that one forecast for all is right in {max(share, 1 - share):.1%}"
    )


def _about(evaluation: Evaluation, fits: int) -> str:
    if edges := [edge[:10] for edge in evaluation.settings.periods]:
        whom = (
            f"patients from {edges[0]} on, in {fits} periods that begin {', '.join(edges[:-1])}"
            if fits > 1
            else f"patients from {edges[0]} on"
        )
        return f"Trained on the past, judged on {whom}. In brackets 95% intervals over the patients"
    return (
        f"Means over {fits} fits (folds x repeats); in brackets 95% intervals over the patients, ± standard error over the fits"
    )


def _figure(row: Row, name: str) -> str:
    """A figure with its interval, if there is one, else with its error."""
    if f"{name}_low" in row:
        digits = 2 if name == "calibration_slope" else 3
        return f"{row[name]:.{digits}f} [{row[f'{name}_low']:.{digits}f}, {row[f'{name}_high']:.{digits}f}]"
    mean, error = row.get(name), row.get(f"{name}_error")
    if mean is None:
        return "-"
    if abs(mean) >= 100:
        return f"{mean:.3g}"
    digits = 3 if abs(mean) >= 0.01 else 5
    return f"{mean:.{digits}f} ± {error:.{digits}f}"
