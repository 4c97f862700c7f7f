"""``sonmf evaluate``: the methods side by side on a person's notes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import typer
from rich.console import Console

from sonmf import files
from sonmf.cli.notes import Columns, read_labelled, sealed, subgroup_columns
from sonmf.cli.say import progress, refuse, sheet
from sonmf.text import NotesVectorizer
from sonmf.triage import Evaluation, TriageModel, evaluate
from sonmf.triage.evaluation import FIGURES, RIVALS, TITLES, WORDS
from sonmf.triage.kept_evaluations import KeptEvaluation, beside, differences, keep
from sonmf.triage.methods import fewest_named
from sonmf.triage.provenance import Provenance

SHOWN = ("residual", "accuracy", "auroc", "auprc", "log_loss", "brier", "calibration_slope", "condition", "correlation")


def run(
    path: Path,
    columns: Columns,
    words: dict[str, Any],
    settings: dict[str, Any],
    subgroups: list[str],
    out: Path,
    model: Path | None,
) -> None:
    """``words`` and ``settings`` are what the options say; where they say nothing, the model counts, then the usual."""
    console = Console()
    unknown = [name for name in settings["methods"] or [] if name not in TITLES]
    refuse(unknown, f"--methods {','.join(unknown)}: there are {', '.join(TITLES)}")
    refuse(out.exists() and not out.is_dir(), f"--out {out} is a file: name a folder")
    fitted = TriageModel.load(model) if model else None
    vectorizer = NotesVectorizer(**(fitted.models_[""].vectorizer.get_params() if fitted else {}) | words)
    columns = columns._replace(like=fitted.provenance_ if fitted else None, min_df=fewest_named(vectorizer))
    data = read_labelled(path, columns, console, subgroups)
    vectorizer.set_params(drop_words=list(dict.fromkeys([*data.drop_words, *(vectorizer.drop_words or ())])) or None)
    settings = settings_like(fitted, settings) | {"vectorizer": vectorizer, "positive": data.positive, "folder": out}
    found = evaluate_with_progress(data, subgroup_columns(data), settings, console)
    asked = sealed(data)
    write(found, asked, out)
    show(console, found)
    console.print(f"[dim]{out / 'results.csv'}, table.md, evaluation.json[/dim]", highlight=False)
    if fitted is not None and model is not None:
        kept = KeptEvaluation.today(asked, found.as_json())
        keep(fitted, model, kept)
        console.print(f"kept beside the model for its report, in {beside(model)}", highlight=False, markup=False)
        for one in differences(kept, fitted):
            console.print(f"not about the model as it was fitted: {one}", highlight=False, markup=False)


def settings_like(fitted: TriageModel | None, settings: dict[str, Any]) -> dict[str, Any]:
    """As the options say, else as for the model, whose own method is judged too, else as usual."""
    usual: dict[str, Any] = {"methods": list(RIVALS)}
    if fitted is not None:
        usual = {name: getattr(fitted, name) for name in ("n_topics", "rule", "min_notes")}
        usual["methods"] = list(dict.fromkeys([fitted.method, *RIVALS]))
    return usual | {name: value for name, value in settings.items() if value is not None}


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


def write(found: Evaluation, asked: Provenance, out: Path) -> None:
    """Every fit as a table, what they add up to as JSON with what it is about, and the figures to print."""
    kept = {"asked": asked.as_json()} | found.as_json()
    files.replace(out / "results.csv", lambda partial: found.frame().to_csv(partial, index=False))
    files.replace(out / "evaluation.json", lambda partial: partial.write_text(json.dumps(kept, indent=1)))
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
