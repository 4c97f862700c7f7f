"""``sonmf compare``: two models on the same patients."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from sonmf.cli import options
from sonmf.cli.output_files import check_target
from sonmf.cli.say import refuse, stop
from sonmf.cli.terminal import Terminal, style_text
from sonmf.sources import Source

if TYPE_CHECKING:
    from sonmf.triage import Comparison, TriageModel
    from sonmf.triage.records import Difference

EXAMPLES = {
    "on patients that neither model has seen": "sonmf compare old.sonmf new.sonmf july.csv",
    "three risk groups": "sonmf compare old.sonmf new.sonmf july.csv --threshold 0.1,0.5 -o comparison.json",
}


def compare(
    *,
    a: Annotated[Path, Argument(help="A model that `sonmf fit` or `sonmf update` wrote.")],
    b: Annotated[Path, Argument(help="The model to compare it with.")],
    notes: options.Notes = None,
    threshold: Annotated[
        str, Option(help="Probabilities that separate risk groups, with commas; patients who change groups are counted.")
    ] = "0.5",
    out: Annotated[Path | None, Option("-o", "--out", help="JSON file with all figures. (default: none)")] = None,
    reading: options.SourceOptions,
    expect_sha256: Annotated[
        list[str] | None,
        Option(
            metavar="SHA256",
            help="Refuse the models unless their files have these SHA-256: give it twice, first for A and then for B.",
        ),
    ] = None,
    force: options.Force = False,
) -> None:
    """Compare two models on the same new patients: how much they differ, and whether that could be chance."""
    from sonmf.triage import lineage, strict_json

    limits, source, expected = thresholds(threshold), reading.open(notes), expect_sha256 or []
    if out is not None:
        check_target(out, force, *source.places, a, b)
    refuse(len(expected) not in (0, 2), "--expect-sha256: give it twice, first for A and then for B")
    console, models = Terminal(), {}
    for key, path, digest in zip("AB", (a, b), expected or (None, None), strict=True):
        models[key] = options.load_model(path, digest)
        console.print(f"{key}: {path.name}, {lineage.in_words(models[key])}")
    comparison, data = judge_both(console, models["A"], models["B"], source, limits)
    verdict = comparison.verdict("A", "B")
    if out is not None:
        written = {
            "models": [
                {"file": path.name, "sha256": model.sha256_, "lineage": lineage.lineage(model)}
                for path, model in zip((a, b), models.values(), strict=True)
            ],
            "patients": {"source": source.name, "data": data},
            "verdict": verdict,
            "comparison": comparison,
        }
        strict_json.write(written, out)
    show(console, comparison, verdict)
    if out is not None:
        console.print("written to ", style_text(out, "bold"))


def thresholds(text: str) -> list[float]:
    """ "0.1,0.5" as probabilities."""
    try:
        limits = [float(part) for part in text.split(",")]
    except ValueError:
        limits = []
    wrong = not limits or not all(0 < limit < 1 for limit in limits)
    refuse(wrong, f"--threshold {text}: give probabilities between 0 and 1, with commas, such as 0.1,0.5")
    return limits


def judge_both(
    console: Terminal, a: TriageModel, b: TriageModel, source: Source, limits: list[float]
) -> tuple[Comparison, str]:
    """Compare both models on the patients of a source, which each reads as in its fit; also the fingerprint of the patients."""
    from sonmf.triage import lineage
    from sonmf.triage.evaluation_file import outcome_in_words
    from sonmf.triage.model_comparison import compare_on
    from sonmf.triage.patient_stream import read_as_fitted

    if a.provenance_ and b.provenance_ and not a.provenance_.same_outcome(b.provenance_):
        outcomes = " and ".join(outcome_in_words(model.provenance_) for model in (a, b) if model.provenance_)
        stop(f"the models forecast different outcomes and cannot be compared: {outcomes}")
    ours, theirs = read_as_fitted(a, source, b.provenance_), read_as_fitted(b, source, a.provenance_)
    console.print_each(dict.fromkeys((*ours.remarks, *theirs.remarks)))
    for key, model, patients in (("A", a, ours), ("B", b, theirs)):
        if made := lineage.has_seen(model, patients.fingerprint):
            console.print(f"{key} was {made} on these patients: its figures here look better than they are", style="yellow")
    return compare_on(a, b, ours, theirs, limits), ours.fingerprint


def show(console: Terminal, comparison: Comparison, verdict: str) -> None:
    """Print the figures, the patients who change groups, the complaints, and the verdict."""
    from sonmf.triage.measures import COMPARED
    from sonmf.triage.model_report import title

    share = comparison.admitted / comparison.patients
    console.print(f"{comparison.patients:,} patients, {share:.1%} admitted. B - A, in brackets its 95% interval")
    console.print()
    rows = [_row(COMPARED[difference.name], difference) for difference in comparison.differences]
    console.table(["figure", "A", "B", "B - A"], rows, words=["figure"])
    console.print()
    show_moves(console, comparison)
    if len(comparison.complaints) > 1:
        rows = [
            [title(loss.complaint), f"{loss.patients:,}", f"{loss.admitted / loss.patients:.1%}", *_row("", loss)[1:]]
            for loss in comparison.complaints
        ]
        head = ["complaint", "patients", "admitted", "log loss of A", "of B", "B - A"]
        console.table(head, rows, words=["complaint"], elsewhere="use -o FILE")
        console.print()
    console.print(verdict, style="bold")


def _row(name: str, difference: Difference) -> list[str]:
    return [
        name,
        f"{difference.a:.4f}",
        f"{difference.b:.4f}",
        f"{difference.difference:+.4f} [{difference.low:+.4f}, {difference.high:+.4f}]",
    ]


def show_moves(console: Terminal, comparison: Comparison) -> None:
    """Print the patients by their risk according to each model, and how many moved."""
    from sonmf.triage.model_comparison import OUTCOMES

    head = ["risk by A", "outcome", *(f"B: {group}" for group in comparison.groups)]
    rows = [
        [group, outcome, *(f"{count:,}" for count in comparison.moves[outcome][place])]
        for place, group in enumerate(comparison.groups)
        for outcome in OUTCOMES
    ]
    console.table(head, rows, words=head[:2], elsewhere="use -o FILE")
    sizes = (comparison.admitted, comparison.patients - comparison.admitted)
    sentences = [
        f"of {size:,} who were {outcome} B moves {up:,} up and {down:,} down"
        for size, outcome in zip(sizes, OUTCOMES, strict=True)
        for up, down in [comparison.moved(outcome)]
    ]
    console.print(f"Patients who change groups: {'; '.join(sentences)}")
    console.print()
