"""The results of an experiment: results.csv, a table with the paper's figures, and the paper's figure."""

from __future__ import annotations

import platform
import subprocess
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from sonmf import files
from sonmf.experiments.design import Experiment, Panel, Trial, outcomes_of
from sonmf.experiments.paper_tables import markdown_table, with_error, write_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#222222", "#8C510A"]
LineStyle = str | tuple[int, tuple[int, int]]
LINES: list[LineStyle] = ["-", "--", "-.", ":", (0, (5, 1)), (0, (1, 1))]
METHOD_STYLES: dict[str, tuple[str, LineStyle]] = {
    "SONMF (paper)": (COLOURS[0], "-"),
    "SONMF (cayley)": (COLOURS[5], "--"),
    "SONMF": (COLOURS[1], "-"),
    "ONMF": (COLOURS[3], ":"),
    "NMF": (COLOURS[4], "-."),
    "Semi-NMF": (COLOURS[2], (0, (5, 1))),
    "logNMF": (COLOURS[3], "-."),
}
START_LINES = {"SVD": "-", "K-means": "--", "random": ":"}

SETTLING = 4
PAPER = "  the paper"


class Results(NamedTuple):
    """All trials of an experiment."""

    experiment: Experiment
    rows: pd.DataFrame
    curves: dict[tuple[int, int, str], list[dict[str, list[float]]]]


def collect(experiment: Experiment, trials: list[Trial], folder: Path) -> Results:
    rows: list[dict[str, object]] = []
    curves: dict[tuple[int, int, str], list[dict[str, list[float]]]] = {}
    for trial in sorted(trials):
        for outcome in outcomes_of(trial, folder):
            identity = {"scenario": trial.scenario, "k": trial.k, "method": outcome.method, "trial": trial.number}
            rows.append(identity | outcome.figures)
            if outcome.curves:
                curves.setdefault((trial.scenario, trial.k, outcome.method), []).append(outcome.curves)
    return Results(experiment, pd.DataFrame(rows), curves)


def write(results: Results, seed: int, folder: Path) -> Path:
    """results.csv, table.md, figure.png and figure.svg under folder/experiment; each replaced as a whole."""
    target = folder / results.experiment.name
    origin = {"seed": seed, "commit": _commit(), "python": platform.python_version()}
    origin |= {name: version(name) for name in ("sonmf", "numpy", "scipy", "scikit-learn", "numba")}
    files.replace(target / "results.csv", lambda path: results.rows.assign(**origin).to_csv(path, index=False))
    write_text(target / "table.md", markdown(results))
    save_figure(draw(results), target)
    return target


def save_figure(figure: Figure, folder: Path) -> None:
    """figure.png and figure.svg; the same figure gives the same files."""
    from matplotlib import rc_context

    for ending in ("png", "svg"):
        with rc_context({"svg.hashsalt": "sonmf"}):
            files.replace(folder / f"figure.{ending}", lambda path: figure.savefig(path, dpi=150))


def summary(results: Results) -> pd.DataFrame:
    """Mean and standard error of every figure, by scenario, K and method, in the order the methods were run."""
    grouped = results.rows.drop(columns="trial").groupby(["scenario", "k", "method"], sort=False)
    return grouped.agg(["mean", "sem"])


def cells(results: Results) -> tuple[list[str], list[list[str]]]:
    """Header and rows of the table: ours with its standard error, and below each row the paper's, where it has one."""
    experiment, table = results.experiment, summary(results)
    several = len({scenario for scenario, _ in experiment.cells}) > 1
    head = [*(["scenario"] if several else []), "K", "method", *experiment.columns.values()]
    body = []
    for (scenario, k, method), row in table.iterrows():
        ours = [_cell(row[name, "mean"], row[name, "sem"]) for name in experiment.columns]
        body.append([*([str(scenario)] if several else []), str(k), method, *ours])
        if printed := (experiment.paper or {}).get((scenario, k, method)):
            body.append(["", PAPER, *(printed.get(name) or "-" for name in experiment.columns)])
    return head, body


def markdown(results: Results) -> str:
    remark = f" {results.experiment.remark}" if results.experiment.remark else ""
    return f"{markdown_table(*cells(results))}\nMean ± standard error of {count_trials(results)}.{remark}\n"


def draw(results: Results) -> Figure:
    """A column of panels for each cell, a line for each method: mean over trials, with a band of one standard deviation."""
    from matplotlib.figure import Figure

    experiment = results.experiment
    size = (2.9 * len(experiment.cells), 2.9 * len(experiment.panels) + 0.8)  # letters stay legible at the width of a page
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots(len(experiment.panels), len(experiment.cells), squeeze=False, sharex=True)
    for row, panel in enumerate(experiment.panels):
        for column, (scenario, k) in enumerate(experiment.cells):
            _draw_panel(axes[row, column], results, panel, scenario, k)
            if row == 0:
                axes[row, column].set_title(experiment.cell_label(scenario, k), loc="left")
        axes[row, 0].set_ylabel(panel.label)
    for ax in axes[-1]:
        ax.set_xlabel("iteration")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    deep = -(-len(labels) // 4)
    figure.legend(handles, labels, loc="outside lower center", ncols=-(-len(labels) // deep), frameon=False)
    figure.suptitle(experiment.title, x=0.01, ha="left")
    return figure


def count_trials(results: Results) -> str:
    """How many trials there are, and which methods have fewer."""
    counts = results.rows.groupby("method", sort=False)["trial"].nunique()
    count = int(counts.max())
    fewer = "; ".join(f"{method} {number}" for method, number in counts.items() if number < count)
    return f"{count} trial{'s' if count > 1 else ''}" + (f" ({fewer})" if fewer else "")


def _draw_panel(ax: Axes, results: Results, panel: Panel, scenario: int, k: int) -> None:
    shown = results.experiment.iterations_shown
    methods = [method for s, q, method in results.curves if (s, q) == (scenario, k)]
    shown_values = []
    for number, method in enumerate(methods):
        values = np.array([_padded(c[panel.curve], shown) for c in results.curves[scenario, k, method]])
        values = np.log1p(values) if panel.log1p else values
        mean, spread, x = values.mean(axis=0), values.std(axis=0), np.arange(1, shown + 1)
        colour, line = _style(method, number)
        ax.plot(x, mean, color=colour, linestyle=line, linewidth=1.8, label=method)
        ax.fill_between(x, mean - spread, mean + spread, color=colour, alpha=0.15, linewidth=0)
        shown_values += [mean[SETTLING:].min(), mean[SETTLING:].max()]
    if panel.truth:
        rows = results.rows[(results.rows["scenario"] == scenario) & (results.rows["k"] == k)]
        truth = np.log1p(rows[panel.truth].mean()) if panel.log1p else rows[panel.truth].mean()
        ax.axhline(truth, color="0.35", linestyle="--", linewidth=1, label=panel.truth.replace("_", " "))
        shown_values.append(truth)
    low, high = min(shown_values), max(shown_values)  # the first steps of some methods would squeeze everything else
    ax.set_ylim(low - 0.05 * (high - low), high + 0.05 * (high - low))
    ax.grid(color="0.93")
    ax.spines[["top", "right"]].set_visible(False)


def _style(method: str, number: int) -> tuple[str, LineStyle]:
    """Colour and line: a method has the same in every figure, its starts differ by their line, step sizes go by number."""
    name, _, start = method.partition(", ")
    colour, line = METHOD_STYLES.get(name, (COLOURS[number % len(COLOURS)], LINES[number % len(LINES)]))
    return colour, START_LINES.get(start, line)


def _padded(values: list[float], length: int) -> list[float]:
    """The curve of a run; one that ended early stays where it ended."""
    return (values + values[-1:] * length)[:length]


def _cell(mean: float, error: float) -> str:
    if abs(mean) < 1e-4:
        return "0" if mean == 0 else f"{mean:.1e}"
    return with_error(mean, error, digits=4 if abs(mean) < 1 else 3 if abs(mean) < 10 else 1)


def _commit() -> str:
    """The commit of the source tree this package runs from, marked where it has changes; 'installed' where there is none."""
    here = Path(__file__).parent
    try:
        command = ["git", "-C", str(here), "describe", "--always", "--dirty", "--abbrev=12", "--exclude", "*"]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "installed"
