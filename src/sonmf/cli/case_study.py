"""``sonmf reproduce triage``: the paper's case study on generated notes or on a person's own."""

from __future__ import annotations

import shutil
from pathlib import Path

from sonmf.cli.notes import Columns, generated, read_labelled
from sonmf.cli.say import INTERRUPTED, refuse, stop
from sonmf.cli.targets import is_read
from sonmf.cli.terminal import Terminal, progress, styled
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
    console = Terminal()
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
        stop(f"interrupted; finished fits are kept under {folder}, and --resume goes on with them", INTERRUPTED)
    from_starts = triage_study.starts(data, seed)
    triage_study.write(found, from_starts, folder)
    for complaint, body in triage_study.tables(found).items():
        rows = [[styled(cell, "dim") for cell in row] if row[0] == triage_study.PAPER else row for row in body]
        left = console.table(triage_study.HEAD, rows, words=["method"], title=complaint or "All notes")
        console.say_left_out(left, "see table.md")
        console.print()
    title = f"SONMF with {triage_study.SAME} topics from three starts, on all notes"
    left = console.table(triage_study.STARTS_HEAD, from_starts, words=["weighting", "start"], title=title)
    console.say_left_out(left, "see starts.md")
    console.print(f"{folder / 'results.csv'}, table.md, starts.md, figure.png, figure.svg", style="dim")
