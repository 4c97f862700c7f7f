"""``sonmf reproduce triage``: the paper's case study on generated notes or on a person's own."""

from __future__ import annotations

import shutil
from pathlib import Path

import typer
from rich.console import Console

from sonmf.cli.inputs import is_read
from sonmf.cli.notes import Columns, generated, read_labelled
from sonmf.cli.say import progress, refuse, sheet
from sonmf.experiments import triage_study
from sonmf.triage.evaluation import TITLES

WRITTEN = ("results.csv", "table.md", "starts.md", "figure.png", "figure.svg", "study.json")


def _would_be_lost(notes: Path, folder: Path, force: bool) -> bool:
    """Whether the notes are among the results to be written, or in a folder to be removed."""
    inside = notes.resolve().is_relative_to(folder.resolve())
    return (force and inside) or is_read([folder / name for name in WRITTEN], [notes])


def run(
    path: Path | None,
    columns: Columns,
    topics: list[int] | None,
    methods: list[str] | None,
    repeats: int,
    seed: int,
    jobs: int | None,
    out: Path,
    *,
    quick: bool,
    resume: bool,
    force: bool,
) -> None:
    console = Console()
    unknown = [name for name in methods or [] if name not in TITLES]
    refuse(unknown, f"--methods {','.join(unknown)}: there are {', '.join(TITLES)}")
    folder = out / "triage"
    refuse(resume and force, "--resume goes on and --force starts again: give one of them")
    refuse(
        folder.exists() and not (resume or force),
        f"{folder} has results: give --resume to go on with them, --force to start again, or another --out",
    )
    refuse(path and _would_be_lost(path, folder, force), f"{folder} has the notes that this command reads: name another --out")
    if force and (folder / "study.json").exists():
        shutil.rmtree(folder)
    data = read_labelled(path, columns, console) if path else generated(2800 if quick else triage_study.GENERATED, seed)
    chosen = topics or list(triage_study.QUICK_TOPICS if quick else triage_study.TOPICS)
    try:
        with progress(console, None, "fits") as advance:
            found = triage_study.run(
                data,
                methods=methods or triage_study.METHODS,
                n_topics=chosen,
                repeats=repeats,
                random_state=seed,
                processes=jobs,
                folder=folder,
                progress=lambda done, total, cell: advance(
                    f"{cell.complaint} {TITLES[cell.method]} {cell.n_topics}".strip(), total
                ),
            )
    except KeyboardInterrupt:
        typer.echo(f"sonmf: interrupted; finished fits are kept under {folder}, and --resume goes on with them", err=True)
        raise typer.Exit(130) from None
    from_starts = triage_study.starts(data, seed)
    triage_study.write(found, from_starts, folder)
    for complaint, body in triage_study.tables(found).items():
        table = sheet(complaint or "All notes")
        for name in triage_study.HEAD:
            table.add_column(name, justify="left" if name == "method" else "right")
        for row in body:
            table.add_row(*row, style="dim" if row[0] == triage_study.PAPER else None)
        console.print(table)
    table = sheet(f"SONMF with {triage_study.SAME} topics from three starts, on all notes")
    for name in triage_study.STARTS_HEAD:
        table.add_column(name, justify="right" if name[0] in "irs" and name != "start" else "left")
    for row in from_starts:
        table.add_row(*row)
    console.print(table)
    console.print(f"[dim]{folder / 'results.csv'}, table.md, starts.md, figure.png, figure.svg[/dim]", highlight=False)
