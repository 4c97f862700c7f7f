"""The case study of section 6: residual or cost, sparsity and LASSO accuracy for K = 10 to 150, five folds, repeated."""

from __future__ import annotations

from dataclasses import replace
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sonmf import files
from sonmf.estimators.sonmf import SONMF
from sonmf.experiments import paper_tables
from sonmf.experiments.paper_tables import markdown_table, with_error, write_text
from sonmf.experiments.simulation_report import COLOURS, LINES, save_figure
from sonmf.files import escape_formula
from sonmf.stability import matched
from sonmf.text import NotesVectorizer
from sonmf.triage import Evaluation
from sonmf.triage.evaluation import Progress, evaluate_patients, evaluation_settings
from sonmf.triage.evaluation_results import TITLES
from sonmf.triage.forecaster import WORDS
from sonmf.triage.patients import Patients

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TOPICS = (10, 30, 50, 100, 150)
QUICK_TOPICS = (10, 30)
METHODS = tuple(TITLES)
GENERATED = 14_000
PAPER = "  the paper"
SAME = 10
STARTS = ("svd", "random", "kmeans")
STARTS_HEAD = ["weighting", "start", "iterations", "relative residual", "smallest cosine with the SVD start's topics"]
HEAD = ["method", "K", "residual or cost", "zeros in F, %", "zeros in G, %", "LASSO accuracy, %", "AUROC"]


def run(
    patients: Patients, *, processes: int | None, folder: Path, progress: Progress | None = None, **settings: Any
) -> Evaluation:
    """The paper's protocol, its un-normalised tf-idf and all its methods, on labelled notes."""
    vectorizer = NotesVectorizer(weighting="paper-tfidf", negation=None, drop_words=patients.drop_words or None)
    notes_alone = replace(patients, columns={}, subgroups={}, times=None)
    asked = evaluation_settings(notes_alone, vectorizer=vectorizer, folds=5, measurements=False, outcome_axes=0, **settings)
    return evaluate_patients(notes_alone, asked, processes=processes, folder=folder, progress=progress)


def tables(found: Evaluation) -> dict[str, list[list[str]]]:
    """The rows of the table of each complaint: ours with standard errors, and below each the paper's, if it has one."""
    printed = paper_tables.triage()
    result: dict[str, list[list[str]]] = {}
    order = {method: place for place, method in enumerate(TITLES)}
    for row in sorted(found.summary(), key=lambda row: (row["complaint"], order[row["method"]], row["n_topics"])):
        body = result.setdefault(row["complaint"], [])
        body.append(_ours(row))
        if theirs := printed.get((row["complaint"], row["method"], row["n_topics"])):
            names = ("residual_or_cost", "F_sparsity_pct", "G_sparsity_pct", "lasso_accuracy_pct")
            body.append([PAPER, "", *(theirs[name] for name in names), ""])
    return result


def starts(patients: Patients, seed: int) -> list[list[str]]:
    """SONMF run to convergence from three starts: the residual, and the smallest cosine of a topic with its match from SVD."""
    rows = []
    for weighting in ("tfidf", "paper-tfidf"):
        vectorizer = NotesVectorizer(weighting=weighting, negation=None, drop_words=patients.drop_words or None)
        X = vectorizer.fit_transform(patients.notes)
        fits = {init: SONMF(SAME, init=init, max_iter=5000, tol=1e-4, random_state=seed).fit(X) for init in STARTS}
        for init, fit in fits.items():
            cosine = matched(fits["svd"].components_, fit.components_).min()
            residual = fit.reconstruction_err_ / np.sqrt((X.data**2).sum())
            rows.append([weighting, init, str(fit.n_iter_), f"{residual:.6f}", f"{cosine:.6f}"])
    return rows


def _ours(row: dict[str, Any]) -> list[str]:
    k = "" if row["method"] == WORDS else str(row["n_topics"])
    cells = [("residual", 1, 4), ("F_sparsity", 100, 1), ("G_sparsity", 100, 1), ("accuracy", 100, 2), ("auroc", 1, 3)]
    return [
        TITLES[row["method"]],
        k,
        *(with_error(row.get(name, nan), row.get(f"{name}_error", nan), *form) for name, *form in cells),
    ]


def markdown(found: Evaluation) -> str:
    """One table for each complaint."""
    parts = [
        (f"### {complaint}\n\n" if complaint else "") + markdown_table(HEAD, body) for complaint, body in tables(found).items()
    ]
    return "\n".join(parts)


def write(found: Evaluation, from_starts: list[list[str]], folder: Path) -> None:
    """results.csv, table.md, starts.md and the figure, each replaced as a whole."""
    write_text(folder / "starts.md", markdown_table(STARTS_HEAD, from_starts))
    frame = found.frame()
    frame["complaint"] = frame["complaint"].map(escape_formula)
    files.replace(folder / "results.csv", lambda path: frame.to_csv(path, index=False))
    write_text(folder / "table.md", markdown(found))
    save_figure(draw(found), folder)


def draw(found: Evaluation) -> Figure:
    """AUROC by K: one panel for each complaint, one line for each method, with bars of one standard error."""
    from matplotlib.figure import Figure

    rows = found.summary()
    complaints = list(dict.fromkeys(row["complaint"] for row in rows))
    columns = min(len(complaints), 3)
    deep = -(-len(complaints) // columns)
    figure = Figure(figsize=(4.6 * columns + 2.4, 3.6 * deep + 0.4), layout="constrained")
    axes = figure.subplots(deep, columns, squeeze=False)
    for ax in axes.flat[len(complaints) :]:
        ax.set_visible(False)
    methods = [method for method in TITLES if method != WORDS and any(row["method"] == method for row in rows)]
    for ax, complaint in zip(axes.flat, complaints, strict=False):
        for number, method in enumerate(methods):
            mine = sorted(
                (r["n_topics"], r["auroc"], r["auroc_error"])
                for r in rows
                if (r["complaint"], r["method"]) == (complaint, method)
            )
            ks, values, errors = zip(*mine, strict=True)
            style = {"color": COLOURS[number % len(COLOURS)], "linestyle": LINES[number % len(LINES)]}
            beside = np.array(ks) + number - (len(methods) - 1) / 2  # bars at the same K would hide each other
            ax.errorbar(beside, values, errors, label=TITLES[method], marker=".", linewidth=1.4, elinewidth=0.9, **style)
        for row in rows:
            if (row["complaint"], row["method"]) == (complaint, WORDS):
                ax.axhline(row["auroc"], color="0.35", linestyle=":", label=TITLES[WORDS])
                ax.axhspan(row["auroc"] - row["auroc_error"], row["auroc"] + row["auroc_error"], color="0.9", zorder=0)
        ax.set_title(complaint or "all notes", loc="left")
        ax.set_xlabel("topics K")
        ax.set_xticks(sorted({row["n_topics"] for row in rows if row["method"] != WORDS}))
        ax.set_ylabel("AUROC")
        ax.grid(color="0.93")
        ax.spines[["top", "right"]].set_visible(False)
    handles, labels = axes.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right center", frameon=False)
    return figure
