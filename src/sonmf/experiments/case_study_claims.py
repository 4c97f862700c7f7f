"""The claims of the paper about its case study, checked against the lines of its tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import isfinite

from sonmf.experiments.case_study_fits import METHODS, TOPICS, Line
from sonmf.experiments.simulation_claims import Claim

OWN, CONTINUOUS, BINARY = "sonmf-paper", ("nmf", "onmf", "semi-nmf"), ("binary-sonmf-paper", "logistic-nmf")
FULL = {OWN: "sonmf", "nmf": "nmf-full", "onmf": "onmf-full", "semi-nmf": "semi-nmf-full"}
"""The same methods at full strength."""

Lines = dict[tuple[str, int], Line]


def check(lines: Sequence[Line]) -> list[Claim]:
    """The claims whose methods have been run, each at the numbers of topics that all of its methods have."""
    by_line = {(line.method, line.k): line for line in lines if line.trials}
    return [claim for judge in CLAIMS for claim in judge(by_line)]


def _topics(lines: Lines, methods: Sequence[str], name: str) -> list[int]:
    """The K for which every method has the figure."""
    return [k for k in TOPICS if all((m, k) in lines and isfinite(getattr(lines[m, k], name)) for m in methods)]


def _shown(lines: Lines, methods: Sequence[str], ks: Sequence[int], name: str, unit: float = 1, digits: int = 4) -> str:
    parts = (
        f"{METHODS[m].title} " + " / ".join(f"{unit * getattr(lines[m, k], name):.{digits}f}" for k in ks) for m in methods
    )
    return f"{_at(ks)}: {'; '.join(parts)}"


def _at(ks: Sequence[int]) -> str:
    return f"K = {' / '.join(map(str, ks))}"


def _at_full_strength(lines: Lines, methods: Sequence[str], name: str, unit: float = 1, digits: int = 4) -> str:
    """The figures at full strength, or a dash."""
    strong = [FULL[method] for method in methods]
    ks = _topics(lines, strong, name)
    return _shown(lines, strong, ks, name, unit, digits) if ks else "-"


def _residuals(lines: Lines) -> Iterator[Claim]:
    methods = ("semi-nmf", OWN, "onmf", "nmf")
    if ks := _topics(lines, methods, "residual"):
        holds = all(lines["semi-nmf", k].residual <= lines[OWN, k].residual for k in ks)
        holds &= all(lines[OWN, k].residual < min(lines[m, k].residual for m in ("onmf", "nmf")) for k in ks)
        yield Claim(
            "Semi-NMF has the lowest residual, closely followed by SONMF, which is below ONMF and NMF",
            holds,
            _shown(lines, methods, ks, "residual"),
            _at_full_strength(lines, methods, "residual"),
        )


def _zeros(lines: Lines) -> Iterator[Claim]:
    if ks := _topics(lines, (OWN, "semi-nmf"), "G_sparsity"):
        zeros = [lines[OWN, k].G_sparsity for k in ks]
        yield Claim(
            "G gets sparser as K grows, Semi-NMF's is dense",
            zeros == sorted(zeros) and max(lines["semi-nmf", k].G_sparsity for k in ks) < min(zeros) / 10,
            f"zeros in per cent, {_shown(lines, (OWN, 'semi-nmf'), ks, 'G_sparsity', 100, 1)}",
            _at_full_strength(lines, (OWN,), "G_sparsity", 100, 1),
        )


def _better(lines: Lines) -> Iterator[Claim]:
    if ks := _topics(lines, (OWN, *CONTINUOUS), "accuracy"):
        yield Claim(
            "SONMF classifies better than NMF, ONMF and Semi-NMF",
            all(lines[OWN, k].accuracy > max(lines[m, k].accuracy for m in CONTINUOUS) for k in ks),
            f"accuracy in per cent, {_shown(lines, (OWN, *CONTINUOUS), ks, 'accuracy', 100, 2)}",
            _at_full_strength(lines, (OWN, *CONTINUOUS), "accuracy", 100, 2),
        )
        signed, unsigned = (OWN, "semi-nmf"), ("nmf", "onmf")
        gaps = [
            min(lines[m, k].accuracy for m in signed) - max(lines[m, k].accuracy for m in unsigned) for k in ks
        ]  # fmt: skip
        yield Claim(
            "SONMF and Semi-NMF classify better than NMF and ONMF",
            min(gaps) > 0,
            f"points between the worse of the two and the better of the others, {_at(ks)}: "
            + " / ".join(f"{100 * gap:+.2f}" for gap in gaps),
            "-",
        )


def _more_topics(lines: Lines) -> Iterator[Claim]:
    ks = _topics(lines, (OWN,), "accuracy")
    if len(ks) == len(TOPICS):
        first, *_, before, last = (lines[OWN, k].accuracy for k in ks)
        yield Claim(
            "Accuracy grows with the number of topics, at a diminishing return",
            last > first and (last - before) / (ks[-1] - ks[-2]) < (before - first) / (ks[-2] - ks[0]),
            f"accuracy in per cent, {_shown(lines, (OWN,), ks, 'accuracy', 100, 2)}",
            _at_full_strength(lines, (OWN,), "accuracy", 100, 2),
        )


def _against_words(lines: Lines) -> Iterator[Claim]:
    ks = _topics(lines, (OWN,), "accuracy")
    if ks and ("words", 0) in lines:
        words = lines["words", 0].accuracy
        changes = [100 * (lines[OWN, k].accuracy - words) for k in ks]
        yield Claim(
            "Against the bag of words, factorisation changes the accuracy by -2 to +1.5 points",
            min(changes) >= -2 and max(changes) <= 1.5,
            f"SONMF, {_at(ks)}: " + " / ".join(f"{change:+.2f}" for change in changes),
            "-",
        )


def _binary(lines: Lines) -> Iterator[Claim]:
    own, log = BINARY
    if ks := _topics(lines, (OWN, own), "accuracy"):
        yield Claim(
            "The continuous method classifies better than the binary one",
            all(lines[OWN, k].accuracy > lines[own, k].accuracy for k in ks),
            f"accuracy in per cent, {_shown(lines, (OWN, own), ks, 'accuracy', 100, 2)}",
            "-",
        )
    if ks := _topics(lines, BINARY, "accuracy"):
        yield Claim(
            "logNMF classifies worse than binary SONMF",
            all(lines[log, k].accuracy < lines[own, k].accuracy for k in ks),
            f"accuracy in per cent, {_shown(lines, BINARY, ks, 'accuracy', 100, 2)}",
            "-",
        )


CLAIMS: list[Callable[[Lines], Iterator[Claim]]] = [
    _residuals, _zeros, _better, _more_topics, _against_words, _binary,
]  # fmt: skip
