"""``sonmf topics``: the signed topics of a model in words, ordered by what they do to the odds of admission."""

from __future__ import annotations

from collections.abc import Iterable
from math import exp
from typing import TYPE_CHECKING, Annotated

from typer import Option

from sonmf.cli import options
from sonmf.cli.say import refuse
from sonmf.cli.terminal import Cell, Terminal, odds_colour, style_text

if TYPE_CHECKING:
    from sonmf.triage import ComplaintModel
    from sonmf.triage.model_report import TopicReport

EXAMPLES = {
    "the topics of every complaint": "sonmf topics model.sonmf",
    "name a topic, kept beside the model": "sonmf topics model.sonmf --complaint Cough --name 3=asthma",
}


def topics(
    *,
    model: options.ModelFile,
    complaint: Annotated[str | None, Option(help="Show only this complaint.")] = None,
    words: Annotated[int, Option(help="Words to list on each side of a topic, at most 30.")] = 6,
    all_words: Annotated[bool, Option("--all-words", help='Also list filler such as "yr old" and "week ago".')] = False,
    name: Annotated[
        list[str] | None, Option(metavar="NUMBER=NAME", help="Name a topic, as NUMBER=NAME: 3=asthma; repeat for more.")
    ] = None,
    expect_sha256: options.Expected = None,
) -> None:
    """Show the signed topics, ordered by their effect on the odds of admission."""
    from sonmf.text.topic_words import MOST
    from sonmf.triage import lineage, model_card, model_report, topic_labels

    refuse(not 1 <= words <= MOST, f"--words {words}: give a number from 1 to {MOST}")
    console, loaded = Terminal(), options.load_model(model, expect_sha256)
    chosen = list(loaded.models_) or [""] if complaint is None else [complaint]
    shown = [loaded.named_model(group) for group in chosen]
    for given in name or []:
        number, equals, label = given.partition("=")
        refuse(not equals or not number.strip().isdigit(), f"--name {given}: write a number and a name, such as 3=asthma")
        topic_labels.rename(loaded, model, complaint or "", int(number), label)
    if name:
        console.print(f"kept in {topic_labels.labels_path(model)}")
    console.print(model_card.outcome(loaded).in_words)
    if loaded.lineage_:
        console.print(f"lineage: {lineage.in_words(loaded)}")
    console.print()
    for fitted in shown:
        show(console, fitted, words, filler=() if all_words else None)
    console.print(model_report.about_words(shown[0], all_words=all_words), style="dim")
    if not all(fitted.record.replicates for fitted in shown):
        console.print(model_report.STABILITY_UNKNOWN, style="dim")
    options.say_digest(loaded)


def show(
    console: Terminal, model: ComplaintModel, words: int, most: int | None = None, filler: Iterable[str] | None = None
) -> None:
    """Topics that raise the odds first, those that lower them last, those without effect left out; at most ``most``."""
    from sonmf.triage import model_report

    used = [topic for topic in model_report.topics(model, words=words, filler=filler) if topic.strength]
    unused, weaker, known = model.n_topics - len(used), 0, model.record.replicates > 0
    if most is not None and len(used) > most:
        weaker = len(used) - most
        used = used[: (most + 1) // 2] + used[-(most // 2) :]
    head = ["topic", "odds of admission", *(["stability"] if known else []), "words for it", "words against it"]
    title = f"{model_report.title(model.name)}: {model.n_notes:,} notes, {model.base_rate:.1%} admitted"
    rows = [_row(topic, seeded=bool(model.seeds[topic.number])) for topic in used]
    console.table(head, rows, words=[head[0], *head[-2:]], title=title, elsewhere="see the report")
    left = [f"{count} with {effect} effect" for count, effect in ((weaker, "a smaller"), (unused, "no")) if count]
    hidden = f"; not shown of {model.n_topics} topics: {' and '.join(left)}" if left else ""
    console.print(f"odds for one standard deviation more of the topic{hidden}", style="dim")
    if model.record.seeds:
        console.print(model_report.about_seeds(model), style="dim")
    if known:
        console.print(model_report.how_stable(model), style="dim")
    console.print()
    show_axes(console, model, words, filler)
    show_columns(console, model)


def _row(topic: TopicReport, *, seeded: bool) -> list[Cell]:
    """A topic as a row of the table; a cell for its stability only if it was computed."""
    words_for, words_against = (" ".join(word for word, _ in side) for side in (topic.positive, topic.negative))
    odds = style_text(f"x {topic.odds:.2f}", odds_colour(topic.strength))
    score = "" if topic.stability is None else f"{topic.stability.score:.2f}"
    stability: Cell = style_text(f"{score} unstable", "yellow") if topic.stability and topic.stability.unstable else score
    share = f" ({topic.negative_share:.1%})" if words_against and topic.negative_share is not None else ""
    name = f"{topic.number} {topic.label}{' (seeded)' if seeded else ''}".strip()
    return [name, odds, *([stability] if score else []), words_for, words_against + share]


def show_axes(console: Terminal, model: ComplaintModel, words: int, filler: Iterable[str] | None = None) -> None:
    """Print the directions made from the outcome, with the words that speak for admission and against it."""
    from sonmf.triage.axes import about_axes, axis_reports

    head = ["made from the outcome", "odds of admission", "words for admission", "words against it"]
    rows: list[list[Cell]] = []
    for axis in axis_reports(model, words, filler):
        words_for, words_against = (" ".join(word for word, _ in side) for side in (axis.positive, axis.negative))
        odds = style_text(f"x {axis.odds:.2f}", odds_colour(axis.strength)) if axis.strength else "no effect"
        rows.append([axis.name, odds, words_for, words_against])
    if rows:
        console.table(head, rows, words=[head[0], *head[-2:]], elsewhere="see the report")
        console.print(about_axes(model), style="dim")
        console.print()


def show_columns(console: Terminal, model: ComplaintModel) -> None:
    """Print the columns by the size of their effect, with the values at which it is smallest and largest."""
    from sonmf.triage import model_report

    moving = sorted((column for column in model_report.columns(model) if column.moves), key=lambda column: -column.moves)
    rows: list[list[Cell]] = [
        [
            f"{column.label} (in the note)" if column.measured else column.label,
            f"x {exp(column.moves):.2f}",
            *(f"x {exp(at.effect):.2f} {at.value}" for at in (column.least, column.most)),
            f"{column.missing:.0%}",
        ]
        for column in moving
    ]
    if rows:
        head = ["column", "odds of admission", "least at", "most at", "missing"]
        console.table(head, rows, words=[head[0], *head[2:4]], elsewhere="see the report")
        console.print(
            "odds for one standard deviation more of the effect, and at the values with the least and the most", style="dim"
        )
        console.print()
