"""Verbs that ignore no option silently: neither one that is given twice, nor one that has no effect."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import Any

import typer
from typer.core import TyperCommand

from sonmf.cli.say import refuse


class Verb(TyperCommand):
    """A command that refuses an option given twice, unless it is one that may be repeated."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """What the parser found, in the order of the line, tells how often each option stands there."""
        *_, found = self.make_parser(ctx).parse_args(args=list(args))
        for parameter, times in Counter(found).items():
            once = parameter.param_type_name == "option" and not parameter.multiple
            refuse(once and times > 1, f"{_spelt(parameter)} is given {times} times: give it once")
        return super().parse_args(ctx, args)


def refuse_options(ctx: typer.Context, names: Collection[str], message: str) -> None:
    """Stop if any of these parameters stands on the line, with their options before the message."""
    sources = {one: getattr(ctx.get_parameter_source(one.name), "name", "") for one in ctx.command.params if one.name in names}
    on_the_line = [one for one, source in sources.items() if source == "COMMANDLINE"]
    refuse(on_the_line, f"{', '.join(map(_spelt, on_the_line))}: {message}")


def _spelt(option: Any) -> str:
    """An option as people write it out."""
    return str(max(option.opts, key=len))
