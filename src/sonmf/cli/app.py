"""The verbs. Nothing heavy is imported before a verb runs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from sonmf.cli import beds_verb, compare_verb, monitor_verb, options, update_verb
from sonmf.cli.verbs import Verbs, refuse_options

app = Verbs(
    name="sonmf",
    help="Signed, orthonormal topics from triage notes, and an admission forecast that explains itself.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)


def _show_version(asked: bool) -> None:
    if asked:
        from sonmf import __version__

        sys.stdout.write(f"{__version__}\n")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.", callback=_show_version)] = False,
) -> None:
    """Signed, orthonormal topics from triage notes, and an admission forecast that explains itself."""


@app.command(epilog="Example:\n\n[bold]sonmf demo[/bold]  two minutes, no data needed")
def demo(
    notes: Annotated[int, typer.Option(min=2000, help="Notes to generate.")] = 10_000,
    out: Annotated[Path, typer.Option(help="Folder for the model and the evaluation.")] = Path("sonmf-demo"),
    seed: options.Seed = 0,
    force: Annotated[bool, typer.Option("--force", help="Replace the demo that is in the folder.")] = False,
) -> None:
    """Generate notes, fit a model per complaint, judge it, show its topics and one explained patient, watch it."""
    from sonmf.cli import demonstration

    demonstration.run(notes, out, seed, force=force)


@app.command(
    epilog="Examples:\n\n"
    "[bold]sonmf fit notes.csv -o model.sonmf[/bold]  columns note, disposition, complaint\n\n"
    "[bold]sonmf fit notes.csv --text note --label disposition --positive admitted --group complaint --topics 50 "
    "-o model.sonmf[/bold]\n\n"
    "[bold]sonmf fit notes.csv --column age --column hr --column esi:category[/bold]  columns beside the note\n\n"
    "[bold]sonmf fit neiss2022.tsv --preset neiss --topics 10,50,100 -o neiss.sonmf[/bold]\n\n"
    "[bold]sonmf fit notes.csv --topics auto[/bold]  as many topics as the notes of each complaint hold\n\n"
    "[bold]sonmf fit notes.csv --stability 20[/bold]  see which topics would come back with other patients\n\n"
    '[bold]sonmf fit notes.csv --seed-topic "chest pain pressure"[/bold]  a topic about these words\n\n'
    "[bold]sonmf fit notes/ --memory 2GB[/bold]  a folder larger than memory, one complaint at a time\n\n"
    '[bold]sonmf fit --sql "select note, disposition from triage" --database sqlite:///clinic.db[/bold]  from a database'
)
def fit(
    notes: options.Notes = None,
    out: Annotated[Path, typer.Option("-o", "--out", help="Model file to write.")] = Path("model.sonmf"),
    text: options.Text = None,
    label: options.Label = None,
    positive: options.Positive = None,
    negative: options.Negative = None,
    group: options.Group = None,
    preset: options.Preset = None,
    topics: options.TopicsOrAuto = None,
    method: options.Method = "sonmf",
    weighting: options.Weighting = None,
    mark_negation: options.Negation = None,
    min_df: options.MinDf = None,
    drop_words: options.DropWords = None,
    column: options.Column = None,
    missing: options.Missing = None,
    time: options.Time = None,
    measurements: options.Measurements = None,
    subgroup: options.Subgroup = None,
    min_notes: options.MinNotes = None,
    rule: options.Rule = None,
    sep: options.Sep = None,
    encoding: options.Encoding = None,
    sheet: options.Sheet = None,
    sql: options.Sql = None,
    database: options.Database = None,
    stability: options.Stability = 0,
    seed_topic: options.SeedTopic = None,
    memory: Annotated[
        str | None,
        typer.Option(
            help="Memory to stay within, such as 2GB: notes wait on disk until their complaint is fitted.", show_default=False
        ),
    ] = None,
    seed: options.Seed = 0,
    force: options.Force = False,
) -> None:
    """Learn topics and a calibrated forecast of admission for each complaint."""
    from sonmf.cli import fitting
    from sonmf.cli.notes import beside, check_method, check_missing, codes, model_settings, numbers, vectorizer, word_settings
    from sonmf.cli.reading import opened
    from sonmf.sources import Reading
    from sonmf.triage import TriageModel
    from sonmf.triage.file_columns import FileColumns
    from sonmf.triage.inputs import AUTO
    from sonmf.triage.methods import fewest_named

    check_method(method)
    words = word_settings(weighting, mark_negation, min_df, drop_words)
    model = TriageModel(
        method=method,
        random_state=seed,
        seed_topics=seed_topic or None,
        **model_settings(numbers(topics, AUTO), rule, min_notes, measurements),
    )
    columns = FileColumns(text, label, positive, negative, group, preset, beside(column), codes(missing), time)
    check_missing(columns)
    fitting.run(
        opened(notes, Reading.asked(sep, encoding, sheet), sql, database),
        columns._replace(min_df=fewest_named(vectorizer(words, method))),
        model,
        lambda leaking: vectorizer(words, method, leaking),
        subgroup or [],
        out,
        stability=stability,
        memory=memory,
        force=force,
    )


@app.command(
    epilog="Examples:\n\n"
    "[bold]sonmf evaluate notes.csv --topics 10,50 --repeats 2[/bold]  all methods side by side\n\n"
    "[bold]sonmf evaluate notes.csv --split time --time arrival --since 2024-01[/bold]  trained on the past\n\n"
    "[bold]sonmf evaluate notes/ --methods sonmf,words --subgroup sex --model model.sonmf[/bold]  as the model was fitted"
)
def evaluate(
    notes: options.Notes = None,
    out: Annotated[Path, typer.Option("-o", "--out", help="Folder for tables and finished fits.")] = Path("evaluation"),
    text: options.Text = None,
    label: options.Label = None,
    positive: options.Positive = None,
    negative: options.Negative = None,
    group: options.Group = None,
    preset: options.Preset = None,
    topics: options.Topics = None,
    methods: Annotated[
        str | None,
        typer.Option(
            help="Methods with commas, as for fit, and words for the plain bag of words. "
            "(default: sonmf,nmf,onmf,semi-nmf,svd,words)",
            show_default=False,
        ),
    ] = None,
    split: Annotated[
        str, typer.Option(help="random: shuffled folds; time: periods, each judged by a fit to all patients before it.")
    ] = "random",
    since: Annotated[
        str | None,
        typer.Option(
            help="Begin of the first period of --split time, such as 2019-12. (default: the last 30% of the patients)",
            show_default=False,
        ),
    ] = None,
    folds: Annotated[int, typer.Option(min=1, help="Folds of each repeat, or periods.")] = 5,
    repeats: Annotated[int, typer.Option(min=1, help="Times to shuffle the folds; the paper has 20.")] = 1,
    weighting: options.Weighting = None,
    mark_negation: options.Negation = None,
    min_df: options.MinDf = None,
    drop_words: options.DropWords = None,
    column: options.Column = None,
    missing: options.Missing = None,
    time: options.Time = None,
    measurements: options.Measurements = None,
    subgroup: options.Subgroup = None,
    min_notes: options.MinNotes = None,
    rule: options.Rule = None,
    sep: options.Sep = None,
    encoding: options.Encoding = None,
    sheet: options.Sheet = None,
    sql: options.Sql = None,
    database: options.Database = None,
    model: Annotated[
        Path | None,
        typer.Option(
            help="Model to judge as it was fitted: its columns, outcomes, topics and words are the defaults, "
            "and the figures are kept beside it for its report.",
            show_default=False,
        ),
    ] = None,
    expect_sha256: options.Expected = None,
    jobs: options.Jobs = None,
    seed: options.Seed = 0,
) -> None:
    """Judge the methods on notes that they have not seen: folds x repeats, everything learned from the training folds.

    Finished fits are kept in the folder: the same command goes on after an interruption.
    """
    from sonmf.cli import evaluating
    from sonmf.cli.notes import beside, codes, model_settings, numbers, word_settings
    from sonmf.cli.reading import opened
    from sonmf.sources import Reading
    from sonmf.triage.file_columns import FileColumns

    columns = FileColumns(text, label, positive, negative, group, preset, beside(column), codes(missing), time)
    words = word_settings(weighting, mark_negation, min_df, drop_words)
    settings = {
        "methods": methods and [name.strip() for name in methods.split(",")],
        "folds": folds,
        "repeats": repeats,
        "since": evaluating.check_split(split, folds, repeats, since),
        "random_state": seed,
        "processes": jobs,
    } | model_settings(numbers(topics), rule, min_notes, measurements)
    source = opened(notes, Reading.asked(sep, encoding, sheet), sql, database)
    evaluating.run(source, columns, words, settings, subgroup or [], out, model, expect_sha256, by_time=split == "time")


@app.command(
    epilog="Examples:\n\n"
    "[bold]sonmf topics model.sonmf[/bold]\n\n"
    "[bold]sonmf topics model.sonmf --complaint Cough --name 3=asthma[/bold]  name a topic, kept beside the model"
)
def topics(
    model: options.ModelFile,
    complaint: Annotated[str | None, typer.Option(help="Only this one.", show_default=False)] = None,
    words: Annotated[int, typer.Option(help="Words on each side, at most 30.")] = 6,
    all_words: Annotated[
        bool, typer.Option("--all-words", help='List filler such as "yr old" and "week ago" too.', show_default=False)
    ] = False,
    name: Annotated[list[str] | None, typer.Option(help="NUMBER=NAME: name a topic.", show_default=False)] = None,
    expect_sha256: options.Expected = None,
) -> None:
    """Show the signed topics, ordered by what they do to the odds of admission."""
    from sonmf.cli import topics as showing
    from sonmf.cli.models import load_model

    showing.run(load_model(model, expect_sha256), model, complaint, words, name or [], all_words=all_words)


@app.command(
    epilog="Examples:\n\n"
    "[bold]sonmf predict model.sonmf patients.csv --keep arrival,ward -o forecast.csv[/bold]\n\n"
    '[bold]sonmf predict model.sonmf --note "78yo f sob x3d, hx chf" --complaint "Shortness of Breath"[/bold]  explained\n\n'
    '[bold]sonmf predict model.sonmf --note "sob x3d" --column age=78 --column hr=120[/bold]  with columns beside the note'
)
def predict(
    ctx: typer.Context,
    model: options.ModelFile,
    notes: Annotated[
        Path | None,
        typer.Argument(
            help="Patients: CSV, TSV (.gz), Excel or Parquet, a folder of such files, or - for standard input.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--out",
            help="File to write: .csv, .tsv (.gz) or .parquet. (default: a table on the terminal, CSV in a pipe)",
            show_default=False,
        ),
    ] = None,
    text: options.FittedText = None,
    group: options.FittedGroup = None,
    preset: options.Preset = None,
    id_: Annotated[
        str | None, typer.Option("--id", help="Column to copy. (default: id, else row numbers)", show_default=False)
    ] = None,
    keep: Annotated[
        str | None, typer.Option(help="More columns to copy, with commas: arrival,ward.", show_default=False)
    ] = None,
    top: Annotated[int, typer.Option(min=0, help="Topics and words to name for each patient.")] = 3,
    note: Annotated[str | None, typer.Option(help="One note to explain instead of a file.", show_default=False)] = None,
    complaint: Annotated[str | None, typer.Option(help="The complaint of --note.", show_default=False)] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(help="NAME=VALUE: a column of --note, such as age=81; repeat for more.", show_default=False),
    ] = None,
    sep: options.Sep = None,
    encoding: options.Encoding = None,
    sheet: options.Sheet = None,
    sql: options.Sql = None,
    database: options.Database = None,
    expect_sha256: options.Expected = None,
    all_rows: Annotated[
        bool, typer.Option("--all-rows", help="Count all rows among the beds, also outcomes that the fit left out.")
    ] = False,
    raw: Annotated[
        bool, typer.Option("--raw", help="Copy cells as they are, also those that a spreadsheet would run as a formula.")
    ] = False,
    force: options.Force = False,
) -> None:
    """Forecast admission: a probability for each patient, the topics and words behind it, and the beds to prepare."""
    from sonmf.cli import scoring
    from sonmf.cli.models import load_model
    from sonmf.cli.notes import word_list
    from sonmf.cli.reading import opened
    from sonmf.cli.say import refuse
    from sonmf.cli.terminal import Terminal
    from sonmf.sources import Reading

    listed = notes is not None or sql is not None
    refuse(notes is not None if note is not None else not listed, "give a file of patients, or one note with --note")
    if note is not None:
        refuse_options(ctx, options.OF_A_FILE, "only for a file of patients; --note explains one patient on the terminal")
        loaded = load_model(model, expect_sha256)
        scoring.explain(Terminal(), loaded.explain(note, complaint, scoring.values(column or [], loaded)), note)
        return
    refuse_options(
        ctx,
        options.OF_A_NOTE,
        "only for --note; a file has columns of its own: --group names the one with the complaint, "
        "and those of the model are found by name",
    )
    asked = scoring.Asked(
        preset, text, group, id_, word_list(keep or ""), top, out, all_rows=all_rows, force=force, raw=raw, model_path=model
    )
    source = opened(notes, Reading.asked(sep, encoding, sheet), sql, database)
    scoring.run(load_model(model, expect_sha256), source, asked)


app.command(epilog=monitor_verb.EXAMPLES)(monitor_verb.monitor)
app.command(epilog=beds_verb.EPILOG)(beds_verb.beds)


@app.command(
    epilog="Examples:\n\n"
    "[bold]sonmf report model.sonmf -o report.html[/bold]  one file that opens without a network\n\n"
    "[bold]sonmf report model.sonmf --notes notes.csv -o report.html[/bold]  with typical notes of your patients in it"
)
def report(
    ctx: typer.Context,
    model: options.ModelFile,
    out: Annotated[Path, typer.Option("-o", "--out", help="HTML file to write.")] = Path("report.html"),
    notes: options.TypicalNotes = None,
    text: options.FittedText = None,
    group: options.FittedGroup = None,
    sep: options.Sep = None,
    encoding: options.Encoding = None,
    sheet: options.Sheet = None,
    expect_sha256: options.Expected = None,
    force: options.Force = False,
) -> None:
    """Write a report to hand round: topics, their effects, how good the forecast is, a model card."""
    from sonmf.cli import reporting
    from sonmf.sources import Reading, open_table

    if notes is None:
        refuse_options(ctx, options.OF_TYPICAL_NOTES, options.WITHOUT_NOTES)
    source = None if notes is None else open_table(notes, Reading.asked(sep, encoding, sheet))
    reporting.run(model, source, text, group, out, force=force, expect_sha256=expect_sha256)


@app.command(
    epilog="Examples:\n\n"
    "[bold]sonmf serve model.sonmf[/bold]  then open the address it prints\n\n"
    "[bold]sonmf serve model.sonmf --host 0.0.0.0 --port 8080[/bold]  for others too, behind a token"
)
def serve(
    ctx: typer.Context,
    model: options.ModelFile,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes a free one.")] = 8000,
    host: Annotated[str, typer.Option(help="Address; any but this machine's own needs a token.")] = "127.0.0.1",
    token: Annotated[
        str | None, typer.Option(envvar="SONMF_TOKEN", help="Token to ask for. (default: one is made)", show_default=False)
    ] = None,
    notes: options.TypicalNotes = None,
    text: options.FittedText = None,
    group: options.FittedGroup = None,
    sep: options.Sep = None,
    encoding: options.Encoding = None,
    sheet: options.Sheet = None,
    max_note: Annotated[float, typer.Option(min=0.001, help="Largest note, in MB.")] = 0.1,
    max_list: Annotated[float, typer.Option(min=0.001, help="Largest list of patients, in MB.")] = 100.0,
    expect_sha256: options.Expected = None,
) -> None:
    """Serve a local web page: topics, a note scored as you type, a list of patients, beds by the hour, how good it is.

    Limits beside --max-note and --max-list: 1,000,000 patients and 10,000 columns of a list, 600 seconds to score it, 2 lists
    and 4 other requests at work, 200 connections, 10 seconds for a request to arrive and 1 more for each 50,000 bytes of it.
    """
    from sonmf.cli import serving
    from sonmf.sources import Reading, open_table
    from sonmf.web.served import Limits

    if notes is None:
        refuse_options(ctx, options.OF_TYPICAL_NOTES, options.WITHOUT_NOTES)
    limits = Limits(note=int(max_note * 1e6), list=int(max_list * 1e6))
    source = None if notes is None else open_table(notes, Reading.asked(sep, encoding, sheet))
    serving.run(model, source, text, group, host, port, token, limits, expect_sha256)


app.command(epilog=update_verb.EXAMPLES)(update_verb.update)
app.command(epilog=compare_verb.EXAMPLES)(compare_verb.compare)


@app.command(
    epilog="Examples:\n\n"
    "[bold]sonmf factorize X.npz --method sonmf --topics 20 -o factors.npz[/bold]\n\n"
    "[bold]sonmf factorize X.npz --topics 20 --starts 4 --sparsity 0.05[/bold]  long texts, topics to be read\n\n"
    "[bold]sonmf factorize blocks/ --memory 1GB[/bold]  a folder of blocks larger than memory\n\n"
    "[bold]sonmf factorize blocks/ --workers 2[/bold]  on a dask cluster of two processes"
)
def factorize(
    matrix: Annotated[
        Path,
        typer.Argument(
            help="Documents x words: a scipy sparse .npz, a dense .npy, or a folder of .npz or .parquet blocks.",
            show_default=False,
        ),
    ],
    out: Annotated[Path, typer.Option("-o", "--out", help="File for the factors.")] = Path("factors.npz"),
    method: Annotated[str, typer.Option(help="sonmf, binary-sonmf, nmf, onmf, semi-nmf or logistic-nmf.")] = "sonmf",
    topics: Annotated[int, typer.Option(min=1, help="Number of topics.")] = 10,
    starts: Annotated[
        int | None,
        typer.Option(min=1, help="Starts that race, for sonmf; the best goes on. (default: 1)", show_default=False),
    ] = None,
    sparsity: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            help="For sonmf: 0.05 gives each document only the topics it is about; for long texts. (default: 0)",
            show_default=False,
        ),
    ] = None,
    max_iter: Annotated[
        int | None, typer.Option(min=1, help="Most iterations. (default: 500 for sonmf, else 200)", show_default=False)
    ] = None,
    tol: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            help="Stop when the topics turn by less, in radians (sonmf, 0.02), or when the objective falls by a smaller "
            "share (the others, 1e-5).",
            show_default=False,
        ),
    ] = None,
    memory: Annotated[
        str | None, typer.Option(help="What the process may use, such as 1GB; for a folder.", show_default=False)
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Start a dask cluster of so many processes.", show_default=False)
    ] = None,
    scheduler: Annotated[
        str | None, typer.Option(help="Use the dask cluster at this address, such as tcp://host:8786.", show_default=False)
    ] = None,
    seed: options.Seed = 0,
    force: options.Force = False,
) -> None:
    """Factorise a bare matrix X ~ G F' with any of the methods, in memory, from disk or on a cluster."""
    from sonmf.cli import matrix as factorizing

    asked = {"n_init": starts, "sparsity": sparsity, "max_iter": max_iter, "tol": tol}
    given = {name: value for name, value in asked.items() if value is not None}
    settings = {"n_components": topics, "random_state": seed} | given
    factorizing.run(matrix, method, settings, out, memory=memory, workers=workers, scheduler=scheduler, force=force)


@app.command(
    epilog="Examples:\n\n"
    "[bold]sonmf reproduce all --quick[/bold]  the simulations, two trials each, in minutes\n\n"
    "[bold]sonmf reproduce table1[/bold]  100 trials, as the paper\n\n"
    "[bold]sonmf reproduce table1 --resume[/bold]  go on after an interruption\n\n"
    "[bold]sonmf reproduce triage --notes notes.csv --trials 2[/bold]  the case study on your notes\n\n"
    "[bold]sonmf reproduce triage --notes triage.csv.gz --preset altered-consciousness[/bold]  on the paper's own"
)
def reproduce(
    ctx: typer.Context,
    experiment: Annotated[
        str,
        typer.Argument(
            help="table1, table2, table3, table4, init-study, rank-study, step-study, all of these with all, or triage.",
            show_default=False,
        ),
    ],
    trials: Annotated[
        int | None,
        typer.Option(
            "--trials",
            "--repeats",
            help="Data sets a cell; for triage, times to shuffle the five folds. (default: those of a full run)",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of all data.")] = 0,
    jobs: Annotated[
        int | None, typer.Option(help="Processes, one thread each. By default one a core.", show_default=False)
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for tables, figures and finished trials.")] = Path("reproduction"),
    quick: Annotated[bool, typer.Option("--quick", help="Two trials a cell: minutes instead of an hour.")] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the trials already in --out.")] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Start again in a folder that has results; they are replaced.")
    ] = False,
    notes: Annotated[
        Path | None, typer.Option(help="triage: a file of notes instead of generated ones.", show_default=False)
    ] = None,
    sep: options.Sep = None,
    encoding: options.Encoding = None,
    sheet: options.Sheet = None,
    text: options.Text = None,
    label: options.Label = None,
    positive: options.Positive = None,
    negative: options.Negative = None,
    group: options.Group = None,
    preset: options.Preset = None,
    topics: Annotated[
        str | None, typer.Option(help="triage: numbers of topics with commas. (default: the paper's)", show_default=False)
    ] = None,
    methods: Annotated[
        str | None, typer.Option(help="triage: methods with commas, as for evaluate. (default: all)", show_default=False)
    ] = None,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="triage, on the paper's notes: words and weights from the training folds alone, and our own cleaning.",
        ),
    ] = False,
) -> None:
    """Re-run the paper's experiments and print ours next to theirs.

    Writes results.csv (a row for each trial and method), table.md, figure.png and figure.svg for each experiment.

    Finished trials are kept: a killed run goes on with --resume and ends with the same figures.
    """
    if experiment == "triage":
        from sonmf.cli import case_study
        from sonmf.cli.notes import numbers
        from sonmf.sources import Reading, open_table
        from sonmf.triage.file_columns import FileColumns

        columns = FileColumns(text, label, positive, negative, group, preset)
        chosen = numbers(topics)
        named = [name.strip() for name in methods.split(",")] if methods else None
        source = None if notes is None else open_table(notes, Reading.asked(sep, encoding, sheet))
        asked = case_study.Asked(source, columns, chosen, named, trials, seed, jobs, quick=quick, strict=strict)
        case_study.run(asked, out, resume=resume, force=force)
        return
    from sonmf.cli import reproduction

    refuse_options(ctx, options.OF_THE_CASE_STUDY, f"only the experiment triage takes notes; {experiment} draws its own data")
    reproduction.run(experiment, trials, seed, jobs, out, quick=quick, resume=resume, force=force)
