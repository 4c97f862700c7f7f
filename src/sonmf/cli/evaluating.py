"""``sonmf evaluate``: the methods side by side on a person's notes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import typer
from rich.console import Console

from sonmf import files
from sonmf.cli.inputs import is_read
from sonmf.cli.models import load_model, say_digest
from sonmf.cli.notes import Columns, read_labelled, subgroup_columns
from sonmf.cli.say import progress, refuse, sheet
from sonmf.triage import Evaluation, evaluate
from sonmf.triage.evaluation import FIGURES, TITLES, WORDS

SHOWN = ("residual", "accuracy", "auroc", "auprc", "log_loss", "brier", "calibration_slope", "condition", "correlation")
WRITTEN = ("results.csv", "evaluation.json", "table.md", "study.json")


def run(
    path: Path,
    columns: Columns,
    make_vectorizer: Any,
    settings: dict[str, Any],
    subgroups: list[str],
    out: Path,
    model: Path | None,
    expect_sha256: str | None = None,
) -> None:
    console = Console()
    unknown = [name for name in settings["methods"] if name not in TITLES]
    refuse(unknown, f"--methods {','.join(unknown)}: there are {', '.join(TITLES)}")
    refuse(out.exists() and not out.is_dir(), f"--out {out} is a file: name a folder")
    refuse(expect_sha256 and not model, "--expect-sha256 is for --model: give the model file too")
    inputs = [path, *([model] if model else [])]
    refuse(
        is_read([out / name for name in WRITTEN], inputs), f"{out} has what this command reads: name another folder with --out"
    )
    fitted = load_model(model, expect_sha256) if model else None
    data = read_labelled(path, columns, console, subgroups)
    settings |= {"vectorizer": make_vectorizer(data.drop_words), "positive": data.positive, "folder": out}
    found = evaluate_with_progress(data, subgroup_columns(data), settings, console)
    write(found, out)
    show(console, found)
    console.print(f"[dim]{out / 'results.csv'}, table.md, evaluation.json[/dim]", highlight=False)
    if fitted is not None and model is not None:
        fitted.evaluation_ = found.as_json()
        fitted.save(model)
        say_digest(fitted)
        console.print(f"kept in [bold]{model}[/bold] for its report", highlight=False)


def evaluate_with_progress(data: Any, subgroups: dict[str, Any], settings: dict[str, Any], console: Console) -> Evaluation:
    try:
        with progress(console, None, "fits") as advance:
            return evaluate(
                data.notes,
                data.disposition,
                data.complaint,
                subgroups=subgroups,
                progress=lambda done, total, cell: advance(f"{cell.complaint} {TITLES[cell.method]}".strip(), total),
                **settings,
            )
    except KeyboardInterrupt:
        folder = settings["folder"]
        typer.echo(f"sonmf: interrupted; finished fits are kept under {folder}, the same command goes on with them", err=True)
        raise typer.Exit(130) from None


def write(found: Evaluation, out: Path) -> None:
    files.replace(out / "results.csv", lambda partial: found.frame().to_csv(partial, index=False))
    files.replace(out / "evaluation.json", lambda partial: partial.write_text(json.dumps(found.as_json(), indent=1)))
    files.replace(out / "table.md", lambda partial: partial.write_text(markdown(found)))


def cells(found: Evaluation) -> tuple[list[str], list[list[str]]]:
    """Header and rows of the table; the best AUROC of each complaint and K is not marked: the errors say what differs."""
    several = len({row["complaint"] for row in found.summary()}) > 1
    head = [*(["complaint"] if several else []), "method", "K", *(FIGURES[name] for name in SHOWN)]
    body = [
        [
            *([row["complaint"]] if several else []),
            TITLES[row["method"]],
            "-" if row["method"] == WORDS else str(row["n_topics"]),
            *(_with_error(row.get(name), row.get(f"{name}_error")) for name in SHOWN),
        ]
        for row in sorted(found.summary(), key=lambda row: (row["complaint"], row["n_topics"]))
    ]
    return head, body


def markdown(found: Evaluation) -> str:
    head, body = cells(found)
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *body]) + "\n"


def show(console: Console, found: Evaluation) -> None:
    head, body = cells(found)
    fits = {row["fits"] for row in found.summary()}
    title = f"Mean ± standard error over {max(fits)} fits: folds x repeats"
    table = sheet(title)
    for name in head:
        table.add_column(name, justify="left" if name in ("complaint", "method") else "right", overflow="fold")
    for row in body:
        table.add_row(*row)
    console.print(table)
    for name, reason in found.left_out.items():
        console.print(f"{name or 'without a complaint'}: left out, {reason}", highlight=False, markup=False)


def _with_error(mean: float | None, error: float | None) -> str:
    if mean is None:
        return "-"
    if abs(mean) >= 100:
        return f"{mean:.3g}"
    digits = 3 if abs(mean) >= 0.01 else 5
    return f"{mean:.{digits}f} ± {error:.{digits}f}"
