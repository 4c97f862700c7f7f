"""``sonmf topics``: the signed topics of a model in words, ordered by what they do to the odds of admission."""

from __future__ import annotations

import difflib
from pathlib import Path

import numpy as np
from rich.console import Console

from sonmf.cli.say import refuse, sheet
from sonmf.triage import ComplaintModel, TriageModel, labels, report


def run(model: TriageModel, path: Path, complaint: str | None, words: int, names: list[str]) -> None:
    console = Console()
    refuse(words < 1, f"--words {words}: at least 1 word is needed")
    if complaint is not None and complaint not in model.models_:
        near = difflib.get_close_matches(complaint, list(model.models_), 1)
        there = ", ".join(name for name in model.models_ if name)
        refuse(True, f"--complaint {complaint}: " + (f"did you mean {near[0]!r}?" if near else f"there are {there}"))
    for name in names:
        number, equals, label = name.partition("=")
        refuse(not equals or not number.strip().isdigit(), f"--name {name}: write a number and a name, such as 3=asthma")
        labels.rename(model, path, complaint or "", int(number), label)
    if names:
        console.print(f"kept in {labels.beside(path)}", highlight=False, markup=False)
    chosen = [name for name in model.models_ if name] or [""]
    console.print(f"{report.outcome(model)['in_words']}\n", highlight=False, markup=False)
    for name in [complaint] if complaint is not None else chosen:
        show(console, model.models_[name], words)


def show(console: Console, one: ComplaintModel, words: int, most: int | None = None) -> None:
    """Topics that raise the odds first, those that lower them last, those without effect left out."""
    strength = one.strength
    order = [int(k) for k in np.argsort(-strength, kind="stable") if strength[k] != 0]
    unused = one.n_topics - len(order)
    if most is not None and len(order) > most:
        order = order[: (most + 1) // 2] + order[-(most // 2) :]
    title = f"{one.name or 'All complaints'}: {one.n_notes:,} notes, {one.base_rate:.1%} admitted"
    table = sheet(title)
    table.add_column("topic", justify="right")
    table.add_column("odds of admission", justify="right")
    table.add_column("words towards it", overflow="fold", ratio=3)
    table.add_column("words away from it", overflow="fold", ratio=2)
    topics = one.topics(words)
    for k in order:
        label = f"{k} {topics[k].label}".strip()
        towards, away = (" ".join(word for word, _ in side) for side in (topics[k].positive, topics[k].negative))
        colour = "red" if strength[k] > 0 else "blue"
        table.add_row(label, f"[{colour}]x {np.exp(strength[k]):.2f}[/{colour}]", towards, away)
    console.print(table)
    left = f"; {unused} of {one.n_topics} topics have no effect and are not shown" if unused else ""
    console.print(f"[dim]odds for one standard deviation more of the topic{left}[/dim]\n", highlight=False)
