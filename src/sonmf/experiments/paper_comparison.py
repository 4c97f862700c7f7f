"""What the fits of ``paper_protocol`` add up to, each figure beside the paper's, with the error of the difference.

Trials shuffle the same notes. So two errors are of interest. Whether we reproduce the paper's mean of 20 trials on these very
notes: the standard deviation of a trial's accuracy times sqrt(1/ours + 1/20), since the paper's mean has an error of its own,
which it does not print. How the figure would vary with other patients: the binomial error of one trial, ten times larger.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from sonmf import files
from sonmf.experiments import case_claims, claims, paper
from sonmf.experiments.paper_protocol import ALL_ROWS, COMPLAINT, FOLDS, METHODS, TRIALS, WORDS, finished
from sonmf.experiments.report import markdown_table

# the paper's rows, under the names that ``paper.triage`` has for them
PRINTED = {
    "sonmf-paper": "sonmf",
    "nmf": "nmf",
    "onmf": "onmf",
    "semi-nmf": "semi-nmf",
    "binary-sonmf-paper": "binary-sonmf-plain",
    "logistic-nmf": "logistic-nmf",
}
BESIDE = {
    "sonmf": "sonmf",
    "nmf-full": "nmf",
    "onmf-full": "onmf",
    "semi-nmf-full": "semi-nmf",
    "semi-nmf-kmeans": "semi-nmf",
    "svd": "sonmf",
    "binary-sonmf": "binary-sonmf-plain",
    "binary-sonmf-monotone": "binary-sonmf-plain",
    "logistic-nmf-full": "logistic-nmf",
}
"""Methods as this package has them, and the row of the paper that they stand beside."""
STRICT = {
    "nmf": "nmf-full",
    "onmf": "onmf-full",
    "semi-nmf": "semi-nmf-full",
    "binary-sonmf-plain": "binary-sonmf-paper",
    "logistic-nmf": "logistic-nmf-full",
}
"""The strict protocol's methods, where the name of the line that they stand beside is another."""
CORES = 2
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


def summary(rows: Any) -> list[dict[str, Any]]:
    """One line for each method and K: means over whole trials, their spread, and the minutes that 20 trials take."""
    lines = []
    for (method, k), fits in _by_line(rows):
        folds = fits[fits["fold"] != ALL_ROWS]
        trials = _whole_trials(folds, "trial")["accuracy"].mean()
        line = {"method": method, "k": int(k), "trials": len(trials), "accuracy": trials.mean(), "sd": trials.std()}
        line["minutes"] = folds["seconds"].mean() * TRIALS * FOLDS / CORES / 60
        whole = fits[fits["fold"] == ALL_ROWS]
        for name in ("residual", "F_sparsity", "G_sparsity"):
            if name in whole:
                line[name], line[f"{name}_error"] = whole[name].mean(), whole[name].sem()
        lines.append(line)
    return lines


def _whole_trials(folds: Any, trial: str) -> Any:
    """Fits grouped by trial, those trials left out that do not have all their folds yet."""
    return folds.groupby(trial).filter(lambda fits: len(fits) == FOLDS).groupby(trial)


def _by_line(rows: Any) -> list[tuple[tuple[str, int], Any]]:
    """The fits of each method and K, in the order of the table."""
    order = {method: place for place, method in enumerate(METHODS)}
    return sorted(rows.groupby(["method", "n_topics"]), key=lambda item: (order[item[0][0]], item[0][1]))


def error_of_difference(line: dict[str, Any], lines: list[dict[str, Any]]) -> float:
    """Of our mean minus the paper's, both means over trials.

    The spread of a trial is pooled over the lines of the same method, since a method that ends where its start leads it varies
    more than the others; over all lines where no line of the method has two trials.
    """
    known = [one for one in lines if np.isfinite(one["sd"])]
    spread = [one["sd"] for one in known if one["method"] == line["method"]] or [one["sd"] for one in known]
    return float(np.sqrt(np.mean(np.square(spread)) * (1 / line["trials"] + 1 / TRIALS))) if spread else float("nan")


def table(lines: list[dict[str, Any]], names: dict[str, str]) -> list[list[str]]:
    """The rows of the methods named, ours beside the paper's."""
    printed, body = paper.triage(), []
    for line in lines:
        if line["method"] not in names or not line["trials"]:
            continue
        theirs = printed.get((COMPLAINT, names[line["method"]], line["k"]), {})
        cells = [METHODS[line["method"]].title, str(line["k"])]
        for name, there, unit, digits in (
            ("residual", "residual_or_cost", 1, 4),
            ("F_sparsity", "F_sparsity_pct", 100, 2),
            ("G_sparsity", "G_sparsity_pct", 100, 2),
        ):
            cells += [_with_error(line.get(name), line.get(f"{name}_error"), unit, digits), theirs.get(there, "-")]
        body.append([*cells, *_accuracy(line, lines, theirs.get("lasso_accuracy_pct"))])
    return body


def words_table(lines: list[dict[str, Any]]) -> list[list[str]]:
    """The same for the bag of words."""
    printed = paper.bag_of_words()[COMPLAINT]
    theirs = {"words": printed["lasso_tfidf_accuracy_pct"], "words-binary": printed["lasso_binary_accuracy_pct"]}
    chosen = [line for line in lines if line["method"] in WORDS and line["trials"]]
    return [[METHODS[line["method"]].weighting, *_accuracy(line, lines, theirs[line["method"]])] for line in chosen]


def strict_table(strict: Any, rows: Any) -> list[list[str]]:
    """Accuracy when nothing is learned from the test fold, beside the paper's protocol on the same folds.

    The folds are the same, so the error of the difference is that of the differences of the trials.
    """
    body = []
    ours = rows[rows["fold"] != ALL_ROWS]
    for (method, k), fits in _by_line(strict.replace({"method": STRICT})):
        there = ours[(ours["method"] == method) & (ours["n_topics"] == k)]
        beside = _whole_trials(there, "trial")[["accuracy", "accuracy_min"]].mean()
        trials = _whole_trials(fits.rename(columns={"accuracy": "accuracy_strict"}), "repeat")[
            ["accuracy_strict", "auroc"]
        ].mean()
        both = trials.join(beside, how="inner")
        if both.empty:
            continue
        difference = both["accuracy_strict"] - both["accuracy"]
        body.append(
            [
                METHODS[method].title,
                "" if method in WORDS else str(k),
                *(
                    _with_error(both[name].mean(), both[name].sem(), 100, 2)
                    for name in ("accuracy", "accuracy_min", "accuracy_strict")
                ),
                _with_error(difference.mean(), difference.sem(), 100, 2),
                _with_error(both["auroc"].mean(), both["auroc"].sem(), 1, 3),
                str(len(both)),
            ]
        )
    return body


def _accuracy(line: dict[str, Any], lines: list[dict[str, Any]], theirs: str | None) -> list[str]:
    ours = _with_error(line["accuracy"], line["sd"] / np.sqrt(line["trials"]), 100, 2)
    compared = ["-", "-", "-"]
    if theirs is not None:
        difference = 100 * line["accuracy"] - float(theirs)
        errors = difference / (100 * error_of_difference(line, lines))
        compared = [theirs, f"{difference:+.2f}", _in_errors(errors, marked=line["method"] in (*PRINTED, *WORDS))]
    return [ours, *compared, str(line["trials"]), _with_error(line["minutes"], None, 1, 1)]


def _in_errors(errors: float, marked: bool) -> str:
    """Where the paper has the very method a difference beyond two errors is bold: it needs an explanation."""
    if not np.isfinite(errors):
        return "-"
    return f"**{errors:+.1f}**" if marked and abs(errors) > 2 else f"{errors:+.1f}"


def _with_error(mean: float | None, error: float | None, unit: float, digits: int) -> str:
    if mean is None or not np.isfinite(mean):
        return "-"
    shown = f"{unit * mean:.{digits}f}"
    return f"{shown} ± {unit * error:.{digits}f}" if error is not None and np.isfinite(error) else shown


def _write_text(path: Path, text: str) -> None:
    files.replace(path, lambda partial: partial.write_text(text))


Tables = dict[str, tuple[list[str], list[list[str]]]]


def write(rows: Any, folder: Path) -> Tables:
    """results.csv, claims.md and the tables, each replaced as a whole; returns the tables by the name of their file."""
    lines = summary(rows)
    _write_text(folder / "claims.md", claims.markdown(case_claims.check(lines), "at full strength"))
    found = {
        "table.md": (HEAD, table(lines, PRINTED)),
        "words.md": (WORDS_HEAD, words_table(lines)),
        "ours.md": (HEAD, table(lines, BESIDE)),
    }
    ordered = rows.sort_values(["method", "n_topics", "trial", "fold"])
    files.replace(folder / "results.csv", lambda path: ordered.to_csv(path, index=False, float_format="%.6g"))
    return _written(found, folder)


def write_strict(folder: Path) -> Tables:
    """The comparison with the strict protocol, where both have been run: strict.md, from what the folder holds."""
    import pandas as pd

    there, rows = folder / "strict" / "results.csv", finished(folder)
    if not there.exists() or rows.empty:
        return {}
    return _written({"strict.md": (STRICT_HEAD, strict_table(pd.read_csv(there), rows))}, folder)


def _written(found: Tables, folder: Path) -> Tables:
    for name, (head, body) in found.items():
        _write_text(folder / name, markdown_table(head, body))
    return found
