"""Tables of the case study, each figure beside the paper's, with the error of the difference.

Trials shuffle the same notes, so there are two errors. The first is about reproducing the paper's mean of 20 trials on these
very notes: the standard deviation of a trial's accuracy times sqrt(1/ours + 1/20), because the paper's mean has an error of its
own, which it does not print. The second is about other patients: the binomial error of one trial, which is ten times larger.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np

from sonmf import files
from sonmf.experiments import case_study_claims, printed_figures, simulation_claims
from sonmf.experiments.case_study_fits import (
    ALL_ROWS,
    COMPLAINT,
    CORES,
    METHODS,
    PRINTED,
    WORDS,
    Line,
    by_line,
    error_of_difference,
    finished,
    summary,
    whole_trials,
)
from sonmf.experiments.markdown import markdown_table, with_error, write_text
from sonmf.frames import DataFrame, pandas

STRICT = {
    "nmf": "nmf-full",
    "onmf": "onmf-full",
    "semi-nmf": "semi-nmf-full",
    "binary-sonmf-plain": "binary-sonmf-paper",
    "logistic-nmf": "logistic-nmf-full",
}
"""The strict protocol's methods, where the name of the line that they stand beside is another."""
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


def table(lines: Sequence[Line], names: Collection[str]) -> list[list[str]]:
    """The rows of these methods, ours beside the paper's."""
    printed, body = printed_figures.triage(), []
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


def words_table(lines: Sequence[Line]) -> list[list[str]]:
    """The same for the bag of words."""
    printed = printed_figures.bag_of_words()[COMPLAINT]
    theirs = {"words": printed["lasso_tfidf_accuracy_pct"], "words-binary": printed["lasso_binary_accuracy_pct"]}
    chosen = [line for line in lines if line.method in WORDS and line.trials]
    return [[METHODS[line.method].weighting, *_accuracy(line, lines, theirs[line.method])] for line in chosen]


def strict_table(strict: DataFrame, rows: DataFrame) -> list[list[str]]:
    """Accuracy when nothing is learned from the test fold, beside the paper's protocol on the same folds.

    The folds are the same, so the error of the difference is that of the differences of the trials.
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


def _accuracy(line: Line, lines: Sequence[Line], theirs: str | None) -> list[str]:
    ours = with_error(line.accuracy, line.sd / np.sqrt(line.trials), 100, 2)
    compared = ["-", "-", "-"]
    if theirs is not None:
        difference = 100 * line.accuracy - float(theirs)
        errors = difference / (100 * error_of_difference(line, lines))
        compared = [theirs, f"{difference:+.2f}", _in_errors(errors, marked=line.method in (*PRINTED, *WORDS))]
    return [ours, *compared, str(line.trials), with_error(line.minutes, digits=1)]


def _in_errors(errors: float, marked: bool) -> str:
    """A difference of more than two errors is bold if the paper has the same method: it needs an explanation."""
    if not np.isfinite(errors):
        return "-"
    return f"**{errors:+.1f}**" if marked and abs(errors) > 2 else f"{errors:+.1f}"


Tables = dict[str, tuple[list[str], list[list[str]]]]


def write(rows: DataFrame, folder: Path) -> Tables:
    """results.csv, claims.md and the tables, each replaced as a whole; returns the tables by the name of their file."""
    lines = summary(rows)
    write_text(folder / "claims.md", simulation_claims.markdown(case_study_claims.check(lines), "at full strength"))
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
