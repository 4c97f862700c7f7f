"""Verbs that take each option once: the parser would keep the last of several values and say nothing."""

from __future__ import annotations

from collections import Counter
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
            refuse(once and times > 1, f"{max(parameter.opts, key=len)} is given {times} times: give it once")
        return super().parse_args(ctx, args)


class Verbs(typer.Typer):
    """An application whose commands are such verbs."""

    def command(self, *args: Any, **settings: Any) -> Any:
        """As ``typer.Typer.command``."""
        return super().command(*args, **{"cls": Verb} | settings)
