"""The verbs. Nothing heavy is imported before a verb runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    name="sonmf",
    help="Semi-orthogonal non-negative matrix factorisation: signed, orthonormal topics.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)


def _show_version(asked: bool) -> None:
    if asked:
        from sonmf import __version__

        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.", callback=_show_version)] = False,
) -> None:
    """Semi-orthogonal non-negative matrix factorisation: signed, orthonormal topics."""


@app.command(
    epilog="Examples:\n\n"
    "[bold]sonmf reproduce all --quick[/bold]  everything, two trials each, in minutes\n\n"
    "[bold]sonmf reproduce table1[/bold]  100 trials, as the paper\n\n"
    "[bold]sonmf reproduce table1 --resume[/bold]  go on after an interruption"
)
def reproduce(
    experiment: Annotated[
        str,
        typer.Argument(help="table1, table2, table3, table4, init-study, rank-study, step-study, or all.", show_default=False),
    ],
    trials: Annotated[
        int | None, typer.Option(help="Trials a cell. By default those of a full run.", show_default=False)
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
) -> None:
    """Re-run the paper's experiments and print ours next to theirs.

    Writes results.csv (a row for each trial and method), table.md, figure.png and figure.svg for each experiment.

    Finished trials are kept: a killed run goes on with --resume and ends with the same figures.
    """
    from sonmf.cli import reproduction

    reproduction.run(experiment, trials, seed, jobs, out, quick=quick, resume=resume, force=force)
