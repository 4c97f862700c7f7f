"""``sonmf reproduce``: check the request, run the trials behind a progress bar, print the tables."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Context, Option

from sonmf import experiments
from sonmf.cli import case_study, options
from sonmf.cli.case_study import CaseStudy
from sonmf.cli.say import refuse, refuse_options, resumable, stop
from sonmf.cli.terminal import Terminal, progress, style_text
from sonmf.experiments.paper_tables import write_text
from sonmf.jobs import FITS, MARK, cores
from sonmf.sources.errors import did_you_mean

if TYPE_CHECKING:
    from sonmf.experiments import simulation_claims, simulation_report

QUICK_TRIALS = 2
OF_THE_CASE_STUDY = (
    "notes", "sep", "encoding", "sheet", "text", "label", "positive", "negative", "group", "preset",
    "topics", "methods", "strict",
)  # fmt: skip
EXAMPLES = {
    "the simulations, two trials each, in minutes": "sonmf reproduce all --quick",
    "100 trials, as in the paper": "sonmf reproduce table1",
    "continue after an interruption": "sonmf reproduce table1 --resume",
    "the case study on your notes": "sonmf reproduce triage --notes notes.csv --trials 2",
    "the same on the paper's own notes": "sonmf reproduce triage --notes triage.csv.gz --preset altered-consciousness",
}


def reproduce(
    ctx: Context,
    *,
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
    reading: options.FileOptions,
    columns: options.OutcomeOptions,
    topics: Annotated[
        str | None, Option(help="triage: numbers of topics, separated by commas. (default: those of the paper)")
    ] = None,
    methods: Annotated[str | None, Option(help="triage: methods as for evaluate, separated by commas. (default: all)")] = None,
    strict: Annotated[
        bool,
        Option(
            "--strict",
            help="triage, on the paper's notes: words and weights from the training folds alone; our own cleaning of notes.",
        ),
    ] = False,
) -> None:
    """Run the experiments of the paper again, and print our figures next to those of the paper.

    The command writes results.csv (a row for each trial and method), table.md, figure.png and figure.svg for each experiment.

    Finished trials are kept. After an interruption, --resume continues, and ends with the same figures.
    """
    refuse(find_spec("matplotlib") is None, "figures need matplotlib: python -m pip install 'sonmf[app]'")
    refuse(trials is not None and trials < 1, f"--trials {trials}: at least 1 trial is needed")
    refuse(jobs is not None and jobs < 1, f"--jobs {jobs}: at least 1 process is needed")
    refuse(seed < 0, f"--seed {seed}: a seed is 0 or more")
    refuse(resume and force, "--resume goes on and --force starts again: give one of them")
    if experiment == "triage":
        chosen = options.topic_counts(topics)
        named = [name.strip() for name in methods.split(",")] if methods else None
        source = reading.open_if_given(notes)
        study = CaseStudy(source, columns.request(), chosen, named, trials, seed, jobs, quick=quick, strict=strict)
        case_study.run(study, out, resume=resume, force=force)
        return
    refuse_options(ctx, OF_THE_CASE_STUDY, f"only the experiment triage takes notes; {experiment} draws its own data")
    run_simulations(experiment, trials, seed, jobs, out, quick=quick, resume=resume, force=force)


def run_simulations(
    experiment: str, trials: int | None, seed: int, jobs: int | None, out: Path, *, quick: bool, resume: bool, force: bool
) -> None:
    from sonmf.experiments import design, simulation_report

    refuse(trials is not None and quick, "--trials and --quick contradict each other: --quick means two trials")
    names = _names(experiment)
    _prepare(out, names, resume=resume, force=force)
    console, plan = Terminal(), {}
    for name in names:
        chosen = experiments.load(name)
        plan[name] = design.trials_of(chosen, QUICK_TRIALS if quick else trials or chosen.trials, seed)
    due, processes = [trial for planned in plan.values() for trial in planned], jobs or cores()
    console.print(f"{len(due)} data sets in {processes} processes of one thread each; finished ones are kept under {out}")
    kept = f"finished trials are kept under {out}, and --resume continues with them"
    with resumable(kept), progress(console, len(due), "data sets") as advance:
        design.run(due, out, processes, lambda trial: advance(f"{trial.experiment}, K = {trial.k}"))
    for name, planned in plan.items():
        results = simulation_report.collect(experiments.load(name), planned, out)
        target = simulation_report.write(results, seed, out)
        _show(console, results)
        console.print(f"{target / 'results.csv'}, table.md, figure.png, figure.svg", style="dim")
        console.print()
    _show_claims(console, names, out)


def _show_claims(console: Terminal, names: tuple[str, ...], out: Path) -> None:
    """What the paper claims of these experiments; the page also keeps what an earlier run says of the others."""
    from sonmf.experiments import simulation_claims

    claims = simulation_claims.check(out, names)
    if not claims:
        return
    write_text(out / "claims.md", simulation_claims.markdown(simulation_claims.check(out, experiments.NAMES)))
    for claim in claims:
        _show_claim(console, claim)
    console.print(f"{out / 'claims.md'}", style="dim")


def _names(experiment: str) -> tuple[str, ...]:
    if experiment == "all":
        return experiments.NAMES
    known = [*experiments.NAMES, "all"]
    if experiment not in known:
        meant = did_you_mean(experiment, known) or f": choose one of {', '.join(known)}"
        stop(f"unknown experiment {experiment!r}{meant}")
    return (experiment,)


def _prepare(out: Path, names: tuple[str, ...], *, resume: bool, force: bool) -> None:
    """Make the folder, or refuse; with --force only what an earlier run of these experiments wrote is removed."""
    refuse(out.exists() and not out.is_dir(), f"--out {out} is a file: name a folder")
    refuse(
        out.is_dir() and any(out.iterdir()) and not (resume or force),
        f"--out {out} is not empty: give --resume to go on with it, --force to start again, or another folder",
    )
    try:
        out.mkdir(parents=True, exist_ok=True)
        probe = out / ".writable"
        probe.touch()
        probe.unlink()
    except OSError as error:
        stop(f"--out {out} cannot be written to ({error.strerror}): name another folder")
    if force:
        for name in names:
            for file in (*(out / name / FITS).glob("*.json"), out / name / MARK):
                file.unlink(missing_ok=True)


def _show(console: Terminal, results: simulation_report.Results) -> None:
    from sonmf.experiments import simulation_report

    head, body = simulation_report.cells(results)
    title = f"{results.experiment.title}; mean ± standard error of {simulation_report.count_trials(results)}"
    rows = [[style_text(cell, "dim") for cell in row] if simulation_report.PAPER in row else row for row in body]
    console.table(head, rows, words=["method"], title=title, elsewhere="see table.md")
    if results.experiment.remark:
        console.print(results.experiment.remark)


def _show_claim(console: Terminal, claim: simulation_claims.Claim) -> None:
    mark = style_text("holds", "green") if claim.holds else style_text("does not hold", "red")
    console.print(mark, f": {claim.text}")
    console.print(f"  {claim.figures}")
    console.print(f"  ours: {claim.ours}")
