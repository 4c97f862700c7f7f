"""``sonmf reproduce triage``: the case study of the paper, on its notes, on generated notes or on your own."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sonmf.cli.output_files import overwrites_input
from sonmf.cli.say import refuse, resumable
from sonmf.cli.terminal import Terminal, progress, style_text
from sonmf.sources import Source

if TYPE_CHECKING:
    from sonmf.triage.patients import Patients
    from sonmf.triage.provenance import Provenance

PAPERS_NOTES = "altered-consciousness"
WRITTEN = ("results.csv", "table.md", "starts.md", "figure.png", "figure.svg", "study.json")
KEPT = "finished fits are kept under {}, and --resume continues with them"
WORDS = ("method", "weighting", "start", "words")


class CaseStudy(NamedTuple):
    """What the options say of the study."""

    notes: Source | None
    asked: Provenance
    topics: list[int] | None
    methods: list[str] | None
    trials: int | None
    seed: int
    jobs: int | None
    quick: bool
    strict: bool

    @property
    def papers_protocol(self) -> bool:
        return self.asked.preset == PAPERS_NOTES and not self.strict


def run(study: CaseStudy, out: Path, *, resume: bool, force: bool) -> None:
    from sonmf.datasets import make_triage_notes
    from sonmf.experiments import triage_study
    from sonmf.triage.patients import Patients, generated_patients

    console = Terminal()
    _check(study)
    folder = out / "triage"
    if study.asked.preset == PAPERS_NOTES:
        folder = out / "case-study" / "strict" if study.strict else out / "case-study"
    _prepare(folder, study.notes, resume=resume, force=force)
    patients = (
        Patients.read(study.notes, study.asked)
        if study.notes
        else generated_patients(
            make_triage_notes(2800 if study.quick else triage_study.GENERATED, details=True, random_state=study.seed)
        )
    )
    console.print_each(patients.remarks)
    if study.papers_protocol:
        _as_the_paper(study, patients, folder, console)
    else:
        _strictly(study, patients, folder, console)


def _check(study: CaseStudy) -> None:
    from sonmf.experiments import case_study_methods
    from sonmf.triage.evaluation_results import TITLES

    there = case_study_methods.METHODS if study.papers_protocol else TITLES
    unknown = [name for name in study.methods or [] if name not in there]
    refuse(unknown, f"--methods {','.join(unknown)}: choose one of {', '.join(there)}")
    papers = study.asked.preset == PAPERS_NOTES
    refuse(papers and study.notes is None, f"--preset {PAPERS_NOTES} reads a file: give it with --notes")
    refuse(
        study.strict and not papers,
        f"--strict is for --preset {PAPERS_NOTES}: on other notes everything is learned from the training folds anyway",
    )


def _prepare(folder: Path, notes: Source | None, *, resume: bool, force: bool) -> None:
    refuse(
        folder.exists() and not (resume or force),
        f"{folder} has results: give --resume to go on with them, --force to start again, or another --out",
    )
    refuse(
        notes and any(_would_be_lost(place, folder, force) for place in notes.places),
        f"{folder} has the notes that this command reads: name another --out",
    )
    if force and (folder / "study.json").exists():
        shutil.rmtree(folder)


def _would_be_lost(notes: Path, folder: Path, force: bool) -> bool:
    """Whether the notes are among the results to be written, or in a folder to be removed."""
    inside = notes.resolve().is_relative_to(folder.resolve())
    return (force and inside) or overwrites_input([folder / name for name in WRITTEN], [notes])


def _as_the_paper(study: CaseStudy, patients: Patients, folder: Path, console: Terminal) -> None:
    from sonmf.experiments import case_study_fits, case_study_methods, case_study_tables, case_study_topics

    with resumable(KEPT.format(folder)), progress(console, None, "fits") as advance:
        case_study_fits.run(
            patients.notes,
            (patients.outcomes == 1).tolist(),
            chosen=study.methods or list(case_study_fits.QUICK_METHODS if study.quick else case_study_methods.METHODS),
            n_topics=study.topics or list(case_study_fits.QUICK_TOPICS if study.quick else case_study_fits.TOPICS),
            trials=study.trials or (1 if study.quick else case_study_fits.TRIALS),
            seed=study.seed,
            processes=study.jobs,
            folder=folder,
            advance=lambda total, fit: advance(f"{case_study_methods.METHODS[fit.method].title} {fit.n_topics}", total),
        )
    tables = case_study_tables.write(case_study_fits.finished(folder), folder)
    for name, title in (
        ("table.md", f"{case_study_fits.COMPLAINT}: the paper's protocol on its own notes"),
        ("ours.md", "By the same protocol at full strength, and TruncatedSVD beside the paper's SONMF"),
    ):
        head, body = tables[name]
        narrow = [[row[place] for place in case_study_tables.SHOWN] for row in (head, *body)]
        _show(console, title, narrow[0], narrow[1:], name)
    _show(console, "Bag of words", *tables["words.md"], "words.md")
    _show_strict(console, folder)
    topics = case_study_topics.write(patients.notes, (patients.outcomes == 1).tolist(), folder)
    console.print(f"{folder / 'results.csv'}, {', '.join(['claims.md', *tables, *topics])}", style="dim")


def _strictly(study: CaseStudy, patients: Patients, folder: Path, console: Terminal) -> None:
    """Words, topics and classifier from the training folds alone."""
    from sonmf.experiments import triage_study
    from sonmf.triage.evaluation_results import TITLES

    with resumable(KEPT.format(folder)), progress(console, None, "fits") as advance:
        evaluation = triage_study.run(
            patients,
            methods=study.methods or triage_study.METHODS,
            n_topics=study.topics or list(triage_study.QUICK_TOPICS if study.quick else triage_study.TOPICS),
            repeats=study.trials or 1,
            random_state=study.seed,
            processes=study.jobs,
            folder=folder,
            progress=lambda done, total, cell: advance(
                f"{cell.complaint} {TITLES[cell.method]} {cell.n_topics}".strip(), total
            ),
        )
    from_starts = triage_study.starts(patients, study.seed)
    triage_study.write(evaluation, from_starts, folder)
    for complaint, body in triage_study.tables(evaluation).items():
        _show(console, complaint or "All notes", triage_study.HEAD, body, "table.md")
    if study.strict:
        _show_strict(console, folder.parent)
    title = f"SONMF with {triage_study.SAME} topics from three starts, on all notes"
    _show(console, title, triage_study.STARTS_HEAD, from_starts, "starts.md")
    console.print(f"{folder / 'results.csv'}, table.md, starts.md, figure.png, figure.svg", style="dim")


def _show_strict(console: Terminal, folder: Path) -> None:
    from sonmf.experiments import case_study_tables

    for name, table in case_study_tables.write_strict(folder).items():
        _show(console, "Nothing learned from the test fold, beside the paper's protocol", *table, name)


def _show(console: Terminal, title: str, head: list[str], body: list[list[str]], where: str) -> None:
    """Print a table, with the rows of the paper dimmed; columns without space are in the file ``where``."""
    from sonmf.experiments import triage_study

    plain = [[cell.strip("*") for cell in row] for row in body]
    rows = [[style_text(cell, "dim") for cell in row] if row[0] == triage_study.PAPER else row for row in plain]
    console.table(head, rows, words=WORDS, title=title, elsewhere=f"see {where}")
    console.print()
