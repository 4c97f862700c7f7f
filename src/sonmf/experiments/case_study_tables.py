"""Tables of the case study, each figure beside the paper's, with the error of the difference, and the claims of the paper.

Trials shuffle the same notes, so there are two errors. The first is about reproducing the paper's mean of 20 trials on these
very notes: the standard deviation of a trial's accuracy times sqrt(1/ours + 1/20), because the paper's mean has an error of its
own, which it does not print. The second is about other patients: the binomial error of one trial, which is ten times larger.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from math import isfinite
from pathlib import Path

import numpy as np

from sonmf import files
from sonmf.experiments import paper_tables, simulation_claims
from sonmf.experiments.case_study_fits import (
    ALL_ROWS,
    COMPLAINT,
    CORES,
    PRINTED,
    TOPICS,
    WORDS,
    TableLine,
    by_line,
    error_of_difference,
    finished,
    summary,
    whole_trials,
)
from sonmf.experiments.case_study_methods import METHODS
from sonmf.experiments.paper_tables import markdown_table, with_error, write_text
from sonmf.experiments.simulation_claims import Claim
from sonmf.frames import DataFrame, pandas
from sonmf.triage import labels

STRICT = {
    "nmf": "nmf-full",
    "onmf": "onmf-full",
    "semi-nmf": "semi-nmf-full",
    "binary-sonmf-plain": "binary-sonmf-paper",
    "logistic-nmf": "logistic-nmf-full",
}
"""Methods of the strict protocol whose line in the other table has a different name."""
HEAD = [
    "method", "K", "residual or cost", "paper", "zeros in F, %", "paper", "zeros in G, %", "paper",
    "LASSO accuracy, %", "paper", "difference", "in errors", "trials", f"minutes on {CORES} cores",
]  # fmt: skip
SHOWN = (0, 1, 2, 3, 8, 9, 11, 12)  # what a terminal has room for
WORDS_HEAD = ["words", *HEAD[8:]]
STRICT_HEAD = [
    "method", "K", "paper's protocol, one standard error, %", "smallest loss, %", "strict, smallest loss, %",
    "strict - paper's protocol", "AUROC, strict", "trials",
]  # fmt: skip
OWN, CONTINUOUS, BINARY = "sonmf-paper", ("nmf", "onmf", "semi-nmf"), ("binary-sonmf-paper", "logistic-nmf")
FULL = {OWN: "sonmf", "nmf": "nmf-full", "onmf": "onmf-full", "semi-nmf": "semi-nmf-full"}
"""The names of these methods at full strength."""

Lines = dict[tuple[str, int], TableLine]


def table(lines: Sequence[TableLine], names: Collection[str]) -> list[list[str]]:
    """The rows of these methods, ours beside the paper's."""
    printed, body = paper_tables.triage(), []
    for line in lines:
        if line.method not in names or not line.trials:
            continue
        theirs = printed.get((COMPLAINT, METHODS[line.method].row, line.k), {})
        cells = [METHODS[line.method].title, str(line.k)]
        for name, there, unit, digits in (
            ("residual", "residual_or_cost", 1, 4),
            ("F_sparsity", "F_sparsity_pct", 100, 2),
            ("G_sparsity", "G_sparsity_pct", 100, 2),
        ):
            cells += [with_error(getattr(line, name), getattr(line, f"{name}_error"), unit, digits), theirs.get(there, "-")]
        body.append([*cells, *_accuracy(line, lines, theirs.get("lasso_accuracy_pct"))])
    return body


def words_table(lines: Sequence[TableLine]) -> list[list[str]]:
    """The rows for the bag of words, ours beside the paper's."""
    printed = paper_tables.bag_of_words()[COMPLAINT]
    theirs = {"words": printed["lasso_tfidf_accuracy_pct"], "words-binary": printed["lasso_binary_accuracy_pct"]}
    chosen = [line for line in lines if line.method in WORDS and line.trials]
    return [[METHODS[line.method].weighting, *_accuracy(line, lines, theirs[line.method])] for line in chosen]


def strict_table(strict: DataFrame, rows: DataFrame) -> list[list[str]]:
    """Accuracy when nothing is learned from the test fold, beside the paper's protocol on the same folds.

    The folds are the same, so the error is computed from the differences of single trials.
    """
    body = []
    ours = rows[rows["fold"] != ALL_ROWS]
    for (method, k), fits in by_line(strict.replace({"method": STRICT})):
        there = ours[(ours["method"] == method) & (ours["n_topics"] == k)]
        beside = whole_trials(there, "trial")[["accuracy", "accuracy_min"]].mean()
        trials = whole_trials(fits.rename(columns={"accuracy": "accuracy_strict"}), "repeat")[
            ["accuracy_strict", "auroc"]
        ].mean()
        both = trials.join(beside, how="inner")
        if both.empty:
            continue
        both["difference"] = both["accuracy_strict"] - both["accuracy"]
        shown = [(name, 100, 2) for name in ("accuracy", "accuracy_min", "accuracy_strict", "difference")]
        cells = [with_error(both[name].mean(), both[name].sem(), *form) for name, *form in (*shown, ("auroc", 1, 3))]
        body.append([METHODS[method].title, "" if method in WORDS else str(k), *cells, str(len(both))])
    return body


def _accuracy(line: TableLine, lines: Sequence[TableLine], theirs: str | None) -> list[str]:
    ours = with_error(line.accuracy, line.sd / np.sqrt(line.trials), 100, 2)
    compared = ["-", "-", "-"]
    if theirs is not None:
        difference = 100 * line.accuracy - float(theirs)
        errors = difference / (100 * error_of_difference(line, lines))
        compared = [theirs, labels.signed(difference, 2), _in_errors(errors, marked=line.method in (*PRINTED, *WORDS))]
    return [ours, *compared, str(line.trials), with_error(line.minutes, digits=1)]


def _in_errors(errors: float, marked: bool) -> str:
    """A difference of more than two errors is bold if the paper has the same method: it needs an explanation."""
    if not isfinite(errors):
        return "-"
    return f"**{labels.signed(errors, 1)}**" if marked and abs(errors) > 2 else labels.signed(errors, 1)


Tables = dict[str, tuple[list[str], list[list[str]]]]


def write(rows: DataFrame, folder: Path) -> Tables:
    """results.csv, claims.md and the tables, each replaced as a whole; returns the tables by the name of their file."""
    lines = summary(rows)
    write_text(folder / "claims.md", simulation_claims.markdown(check_claims(lines), "at full strength"))
    found = {
        "table.md": (HEAD, table(lines, PRINTED)),
        "words.md": (WORDS_HEAD, words_table(lines)),
        "ours.md": (HEAD, table(lines, set(METHODS) - {*PRINTED, *WORDS})),
    }
    ordered = rows.sort_values(["method", "n_topics", "trial", "fold"])
    files.replace(folder / "results.csv", lambda path: ordered.to_csv(path, index=False, float_format="%.6g"))
    return _write_tables(found, folder)


def write_strict(folder: Path) -> Tables:
    """The comparison with the strict protocol, where both have been run: strict.md, from what the folder holds."""

    there, rows = folder / "strict" / "results.csv", finished(folder)
    if not there.exists() or rows.empty:
        return {}
    return _write_tables({"strict.md": (STRICT_HEAD, strict_table(pandas().read_csv(there), rows))}, folder)


def _write_tables(found: Tables, folder: Path) -> Tables:
    for name, (head, body) in found.items():
        write_text(folder / name, markdown_table(head, body))
    return found


def check_claims(lines: Sequence[TableLine]) -> list[Claim]:
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
            + " / ".join(labels.signed(100 * gap, 2) for gap in gaps),
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
            f"SONMF, {_at(ks)}: " + " / ".join(labels.signed(change, 2) for change in changes),
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
