"""The line of ``sonmf reproduce``: its options and their help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, Context, Option

from sonmf.cli import options
from sonmf.cli.verbs import refuse_options

EXAMPLES = (
    "[bold]sonmf reproduce all --quick[/bold]  the simulations, two trials each, in minutes",
    "[bold]sonmf reproduce table1[/bold]  100 trials, as the paper",
    "[bold]sonmf reproduce table1 --resume[/bold]  go on after an interruption",
    "[bold]sonmf reproduce triage --notes notes.csv --trials 2[/bold]  the case study on your notes",
    "[bold]sonmf reproduce triage --notes triage.csv.gz --preset altered-consciousness[/bold]  on the paper's own",
)


def reproduce(
    ctx: Context,
    experiment: Annotated[
        str, Argument(help="table1, table2, table3, table4, init-study, rank-study, step-study, all of these (all), or triage.")
    ],
    trials: Annotated[
        int | None,
        Option(
            "--trials",
            "--repeats",
            help="Data sets per cell of the table; for triage, how often the five folds are shuffled. (default: a full run)",
        ),
    ] = None,
    seed: Annotated[int, Option(help="Seed of all data.")] = 0,
    jobs: Annotated[int | None, Option(help="Number of processes, each with one thread. (default: one per core)")] = None,
    out: Annotated[Path, Option(help="Folder for tables, figures and finished trials.")] = Path("reproduction"),
    quick: Annotated[bool, Option("--quick", help="Two trials per cell: minutes instead of an hour.")] = False,
    resume: Annotated[bool, Option("--resume", help="Continue with the trials that are in --out.")] = False,
    force: Annotated[bool, Option("--force", help="Start again in a folder that has results; they are replaced.")] = False,
    notes: Annotated[Path | None, Option(help="triage: a file of notes instead of generated ones.")] = None,
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
        str | None, Option(help="triage: numbers of topics, separated by commas. (default: those of the paper)")
    ] = None,
    methods: Annotated[str | None, Option(help="triage: methods as for evaluate, separated by commas. (default: all)")] = None,
    strict: Annotated[
        bool,
        Option(
            "--strict",
            help="triage, on the paper's notes: words and weights from the training folds alone, and our own cleaning.",
        ),
    ] = False,
) -> None:
    """Run the experiments of the paper again, and print our figures next to those of the paper.

    Writes results.csv (a row for each trial and method), table.md, figure.png and figure.svg for each experiment.

    Finished trials are kept: after an interruption --resume continues, and ends with the same figures.
    """
    if experiment == "triage":
        from sonmf.cli.actions import reproduce_triage as case_study
        from sonmf.cli.option_values import open_if_given, topic_counts
        from sonmf.triage.file_columns import FileColumns

        columns = FileColumns(text, label, positive, negative, group, preset)
        chosen = topic_counts(topics)
        named = [name.strip() for name in methods.split(",")] if methods else None
        source = open_if_given(notes, sep, encoding, sheet)
        asked = case_study.Asked(source, columns, chosen, named, trials, seed, jobs, quick=quick, strict=strict)
        case_study.run(asked, out, resume=resume, force=force)
        return
    from sonmf.cli.actions import reproduce as action

    refuse_options(ctx, options.OF_THE_CASE_STUDY, f"only the experiment triage takes notes; {experiment} draws its own data")
    action.run(experiment, trials, seed, jobs, out, quick=quick, resume=resume, force=force)
