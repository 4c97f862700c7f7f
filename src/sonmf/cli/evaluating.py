"""``sonmf evaluate``: the methods side by side on a person's notes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sonmf import files
from sonmf.cli.models import load_model
from sonmf.cli.notes import check_missing, say_remarks
from sonmf.cli.say import INTERRUPTED, refuse, stop
from sonmf.cli.targets import is_read
from sonmf.cli.terminal import Terminal, progress
from sonmf.experiments.report import markdown_table
from sonmf.sources import Source, TableError, dates
from sonmf.sources.formulas import harmless
from sonmf.text import NotesVectorizer
from sonmf.triage import Evaluation, TriageModel, evaluate
from sonmf.triage.evaluation import FIGURES, RIVALS, TITLES
from sonmf.triage.evaluation_fits import COLUMNS
from sonmf.triage.evaluation_verdict import verdict
from sonmf.triage.factorisations import NEGATION, fewest_named
from sonmf.triage.file_columns import FileColumns
from sonmf.triage.kept_evaluations import KeptEvaluation, differences, evaluations_path, keep
from sonmf.triage.labelled_notes import Labelled, read_labelled, subgroup_columns, with_fingerprint
from sonmf.triage.model_report import INPUTS
from sonmf.triage.provenance import Provenance

SHOWN = (
    "auroc",
    "log_loss",
    "calibration_slope",
    "accuracy",
    "auprc",
    "brier",
    "residual",
    "condition",
    "correlation",
    "npmi",
    "diversity",
)
HEAD = ["method", "from", "K", *(FIGURES[name] for name in SHOWN)]  # those that decide first: a narrow terminal shows no others
SPLITS = ("random", "time")
WRITTEN = ("results.csv", "evaluation.json", "table.md", "study.json")


def run(
    source: Source,
    columns: FileColumns,
    words: dict[str, Any],
    settings: dict[str, Any],
    subgroups: list[str],
    out: Path,
    model: Path | None,
    expect_sha256: str | None = None,
    *,
    by_time: bool = False,
) -> None:
    """``words`` and ``settings`` are what the options say; where they say nothing, the model counts, then the usual."""
    console = Terminal()
    unknown = [name for name in settings["methods"] or [] if name not in TITLES]
    refuse(unknown, f"--methods {','.join(unknown)}: there are {', '.join(TITLES)}")
    refuse(out.exists() and not out.is_dir(), f"--out {out} is a file: name a folder")
    refuse(expect_sha256 and not model, "--expect-sha256 is for --model: give the model file too")
    inputs = [*source.places, *([model] if model else [])]
    refuse(
        is_read([out / name for name in WRITTEN], inputs), f"{out} has what this command reads: name another folder with --out"
    )
    fitted = load_model(model, expect_sha256) if model else None
    vectorizer = NotesVectorizer(**(fitted.pooled_model_.vectorizer.get_params() if fitted else {"negation": NEGATION}) | words)
    like = fitted.provenance_ if fitted else None
    when = columns.time or (like.time if like else None) if by_time else None
    refuse(columns.time and not by_time, "--time is for --split time: give that too")
    refuse(by_time and not when, "--split time needs the column of the arrival: name it with --time")
    columns = columns._replace(like=like, time=when, min_df=fewest_named(vectorizer))
    check_missing(columns)
    data = read_labelled(source, columns, subgroups)
    say_remarks(console, data.remarks)
    vectorizer.set_params(drop_words=list(dict.fromkeys([*data.drop_words, *(vectorizer.drop_words or ())])) or None)
    settings = settings_like(fitted, settings) | {"vectorizer": vectorizer, "positive": data.positive, "folder": out}
    settings["kinds"] = _kinds(fitted, data)
    settings["times"] = data.times
    if data.times is not None and (timeless := int(np.isnat(data.times).sum())):
        console.print(f"{timeless:,} rows have no time in column {dates.named(str(when))[0]}: they have no part")
    found = evaluate_with_progress(data, subgroup_columns(data), settings, console)
    asked = with_fingerprint(data)
    write(found, asked, out)
    kept = KeptEvaluation.today(asked, found.as_json())
    if fitted is not None and model is not None:
        keep(fitted, model, kept)
    show(console, found)
    console.print(f"{out / 'results.csv'}, table.md, evaluation.json", style="dim")
    if fitted is not None and model is not None:
        console.print(f"kept beside the model for its report, in {evaluations_path(model)}")
        for one in differences(kept, fitted):
            console.print(f"not about the model as it was fitted: {one}")


def check_split(split: str, folds: int, repeats: int, since: str | None) -> Any:
    """When the first period begins, if that is said; what cannot be meant together is refused."""
    refuse(split not in SPLITS, f"--split {split}: there are {' and '.join(SPLITS)}")
    refuse(split == "random" and folds < 2, f"--folds {folds}: at least 2 are needed, unless with --split time")
    refuse(split == "random" and since, "--since is for --split time: give that too")
    refuse(split == "time" and repeats > 1, "--repeats shuffles folds, and --split time has none to shuffle: leave it out")
    return None if since is None else _moment(since)


def _moment(since: str) -> Any:
    """The time that was said, if it can be only one."""
    try:
        found = dates.parsed([since], "--since", "the command line")[0]
    except TableError:  # which tells rows of a column
        found = np.datetime64("NaT")
    refuse(np.isnat(found), f"--since {since}: write one date, such as 2024-03-31; 3/4/2024 could be two")
    return found


def _kinds(fitted: TriageModel | None, data: Labelled) -> dict[str, str]:
    """Of the columns: as was said, else as in the model."""
    like = (fitted.kinds or {}) if fitted is not None else {}
    return {name: kind for name, kind in (dict(like) | dict(data.kinds)).items() if name in data.columns}


def settings_like(fitted: TriageModel | None, settings: dict[str, Any]) -> dict[str, Any]:
    """As the options say, else as for the model, whose own method is judged too, else as usual."""
    usual: dict[str, Any] = {"methods": list(RIVALS)}
    if fitted is not None:
        usual = {name: getattr(fitted, name) for name in ("rule", "min_notes", "measurements", "seed_topics")}
        usual["n_topics"] = fitted.tried_
        usual["methods"] = list(dict.fromkeys([fitted.method, *RIVALS]))
    return usual | {name: value for name, value in settings.items() if value is not None}


def evaluate_with_progress(data: Any, subgroups: dict[str, Any], settings: dict[str, Any], console: Terminal) -> Evaluation:
    try:
        with progress(console, None, "fits") as advance:
            return evaluate(
                data.notes,
                data.disposition,
                data.complaint,
                data.columns,
                subgroups=subgroups,
                progress=lambda done, total, cell: advance(f"{cell.complaint} {TITLES[cell.method]}".strip(), total),
                **settings,
            )
    except KeyboardInterrupt:
        folder = settings["folder"]
        stop(f"interrupted; finished fits are kept under {folder}, the same command goes on with them", INTERRUPTED)


def write(found: Evaluation, asked: Provenance, out: Path) -> None:
    """Every fit as a table, what they add up to as JSON with what it is about, and the figures to print."""
    kept = {"asked": asked.as_json()} | found.as_json()
    frame = found.frame()
    frame["complaint"] = frame["complaint"].map(harmless)
    files.replace(out / "results.csv", lambda partial: frame.to_csv(partial, index=False))
    files.replace(out / "evaluation.json", lambda partial: partial.write_text(json.dumps(kept, indent=1)))
    files.replace(out / "table.md", lambda partial: partial.write_text(markdown_table(*cells(found))))


def cells(found: Evaluation) -> tuple[list[str], list[list[str]]]:
    """Header and rows of the table; the best AUROC of each complaint and K is not marked: the errors say what differs."""
    summary = _in_order(found.summary())
    head, rows = _table(summary)
    if len({row["complaint"] for row in summary}) == 1:
        return head, rows
    return ["complaint", *head], [[row["complaint"], *cells] for row, cells in zip(summary, rows, strict=True)]


def _table(summary: list[dict[str, Any]]) -> tuple[list[str], list[list[str]]]:
    """Without what they have seen, where all have seen the same."""
    rows = [_row(row) for row in summary]
    if len({row["inputs"] for row in summary}) == 1:
        return [HEAD[0], *HEAD[2:]], [[row[0], *row[2:]] for row in rows]
    return HEAD, rows


def _in_order(summary: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(summary, key=lambda row: (row["complaint"], row["n_topics"], -INPUTS.index(row["inputs"])))


def _row(row: dict[str, Any]) -> list[str]:
    topics, method = str(row["n_topics"] or "-"), "-" if row["inputs"] == COLUMNS else TITLES[row["method"]]
    return [method, row["inputs"], topics, *(_figure(row, name) for name in SHOWN)]


def show(console: Terminal, found: Evaluation) -> None:
    """A table a complaint, the figures that decide first, and what they say of the methods."""
    summary = found.summary()
    console.print(_about(found, max(row["fits"] for row in summary)))
    console.print()
    left: Sequence[str] = ()
    for complaint in sorted({row["complaint"] for row in summary}):
        head, rows = _table([row for row in _in_order(summary) if row["complaint"] == complaint])
        left = max(left, console.table(head, rows, words=["method", "from"], title=complaint), key=len)
        console.print()
    console.say_left_out(left, "see table.md")
    for name, reason in found.left_out.items():
        console.print(f"{name or 'without a complaint'}: left out, {reason}")
    if said := verdict(found.rows):
        console.print()
        console.print(said)


def _about(found: Evaluation, fits: int) -> str:
    if edges := [edge[:10] for edge in found.settings.get("periods", [])]:
        whom = (
            f"patients from {edges[0]} on, in {fits} periods that begin {', '.join(edges[:-1])}"
            if fits > 1
            else f"patients from {edges[0]} on"
        )
        return f"Trained on the past, judged on {whom}. In brackets 95% intervals, by a bootstrap of the patients"
    return f"Mean ± standard error over {fits} fits: folds x repeats"


def _figure(row: dict[str, Any], name: str) -> str:
    """With its interval where there is one, else with its error."""
    if f"{name}_low" in row:
        return f"{row[name]:.3f} [{row[f'{name}_low']:.3f}, {row[f'{name}_high']:.3f}]"
    return _with_error(row.get(name), row.get(f"{name}_error"))


def _with_error(mean: float | None, error: float | None) -> str:
    if mean is None:
        return "-"
    if abs(mean) >= 100:
        return f"{mean:.3g}"
    digits = 3 if abs(mean) >= 0.01 else 5
    return f"{mean:.{digits}f} ± {error:.{digits}f}"
