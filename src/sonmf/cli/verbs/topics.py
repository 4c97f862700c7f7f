"""The line of ``sonmf topics``: its options and their help."""

from __future__ import annotations

from typing import Annotated

from typer import Option

from sonmf.cli import options

EXAMPLES = (
    "[bold]sonmf topics model.sonmf[/bold]",
    "[bold]sonmf topics model.sonmf --complaint Cough --name 3=asthma[/bold]  name a topic, kept beside the model",
)


def topics(
    model: options.ModelFile,
    complaint: Annotated[str | None, Option(help="Show only this complaint.")] = None,
    words: Annotated[int, Option(help="Words to list on each side of a topic, at most 30.")] = 6,
    all_words: Annotated[bool, Option("--all-words", help='Also list filler such as "yr old" and "week ago".')] = False,
    name: Annotated[list[str] | None, Option(help="Name a topic, as NUMBER=NAME: 3=asthma; repeat for more.")] = None,
    expect_sha256: options.Expected = None,
) -> None:
    """Show the signed topics, ordered by their effect on the odds of admission."""
    from sonmf.cli.actions import topics as action
    from sonmf.cli.option_values import load_model

    action.run(load_model(model, expect_sha256), model, complaint, words, name or [], all_words=all_words)
