"""The verbs of the command line; the module of a verb, and what it needs, is loaded when the verb is named."""

from __future__ import annotations

import dataclasses
import re
import sys
from collections import Counter
from collections.abc import Callable
from functools import cache, wraps
from importlib import import_module
from inspect import Parameter, signature
from typing import Annotated, Any, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup

from sonmf.cli.say import close_output, refuse, spelt

WIDTH = 72  # of an example, so that it fits a terminal of 80 columns
AS_IT_IS = "\b"  # before a paragraph that is not to be wrapped
VERBS = {
    "demo": "Generate notes, fit a model for each complaint, evaluate it, explain one patient, and monitor it for three "
    "months.",
    "fit": "Learn topics and a calibrated forecast of admission for each complaint.",
    "evaluate": "Compare the methods on patients that they have not seen: everything is learned from the training folds.",
    "topics": "Show the signed topics, ordered by their effect on the odds of admission.",
    "predict": "Forecast admission: a probability for each patient, the topics and words behind it, and the beds to prepare.",
    "monitor": "Compare forecasts with outcomes: is the model still right, and are the patients still like those of the fit?",
    "beds": "Beds by the hour: for the patients who are present, and for those who will arrive.",
    "report": "Write a report to share: the topics and their effects, the quality of the forecast, a model card.",
    "serve": "Serve a local web page: topics, a note scored as you type, a list of patients, beds by the hour, quality.",
    "update": "Bring a model up to date with new patients and their outcomes, which are read as those of its fit were.",
    "compare": "Compare two models on the same new patients: how much they differ, and whether that could be chance.",
    "factorize": "Factorise a matrix, X ~ G F', with any of the methods: in memory, from disk or on a cluster.",
    "reproduce": "Run the experiments of the paper again, and print our figures next to those of the paper.",
}
"""What ``sonmf --help`` says of each verb: the first paragraph of its docstring, known here without loading the verb."""


class Verb(TyperCommand):
    """A command that refuses an option given twice, unless it is one that may be repeated."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """What the parser found, in the order of the line, tells how often each option stands there."""
        *_, parameters = self.make_parser(ctx).parse_args(args=list(args))
        for parameter, times in Counter(parameters).items():
            once = parameter.param_type_name == "option" and not parameter.multiple
            refuse(once and times > 1, f"{spelt(parameter)} is given {times} times: give it once")
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run the verb. A reader of its output who goes away (``| head``) ends it, which is no failure."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            close_output()
            raise typer.Exit from None


class Verbs(TyperGroup):
    """The verbs in the order of ``VERBS``: ``sonmf --help`` lists them, and loads none."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings | {"commands": {name: Verb(name, help=line) for name, line in VERBS.items()}})

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The verb that stands on the line, loaded, and what follows it."""
        name, _, rest = super().resolve_command(ctx, args)
        return name, load(str(name)), rest

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List the verbs, each with its whole sentence."""
        with formatter.section("Commands"):
            formatter.write_dl(list(VERBS.items()))


@cache
def load(name: str) -> Any:
    """The command of a verb: the function ``name`` of the module ``sonmf.cli.name``, with its options and examples."""
    module = import_module(f"sonmf.cli.{name}")
    examples = [_example(meaning, line) for meaning, line in module.EXAMPLES.items()]
    alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    alone.command(name, cls=Verb, epilog="\n\n".join(["Examples:", *examples]))(_spell_out(getattr(module, name)))
    return typer.main.get_command(alone)


def _spell_out(verb: Callable[..., None]) -> Callable[..., None]:
    """The same verb with the options of each group as parameters of their own.

    A group is a dataclass of ``cli/options.py`` whose fields are options: a verb has one parameter for all of them, and typer
    sees each as an option of the verb.
    """
    groups, parameters, hints = {}, [], get_type_hints(verb, include_extras=True)
    for name, parameter in signature(verb).parameters.items():
        if dataclasses.is_dataclass(hints[name]):
            groups[name] = hints[name]
            parameters += _fields(hints[name])
        else:
            parameters.append(parameter.replace(annotation=hints[name], kind=Parameter.KEYWORD_ONLY))

    @wraps(verb)
    def spelt_out(**given: Any) -> None:
        filled = {
            name: group(**{field.name: given.pop(field.name) for field in dataclasses.fields(group)})
            for name, group in groups.items()
        }
        verb(**given, **filled)

    spelt_out.__signature__ = signature(verb).replace(parameters=parameters)  # type: ignore[attr-defined]
    spelt_out.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return spelt_out


def _fields(group: type) -> list[Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        Parameter(field.name, Parameter.KEYWORD_ONLY, default=field.default, annotation=hints[field.name])
        for field in dataclasses.fields(group)
    ]


def _example(meaning: str, line: str) -> str:
    """A line to copy into a shell, of several lines if it is long, below a comment on what it means."""
    shown = [""]
    for part in re.split(" (?=-)", line):
        if len(shown[-1]) + len(part) > WIDTH:
            shown.append("   ")
        shown[-1] += f" {part}"
    return "\n".join([AS_IT_IS, f" # {meaning}", " \\\n".join(shown)])


app = typer.Typer(
    name="sonmf",
    cls=Verbs,
    help="Signed, orthonormal topics from triage notes, and an admission forecast that can be explained.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _show_version(asked: bool) -> None:
    if asked:
        from sonmf import __version__

        sys.stdout.write(f"{__version__}\n")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.", callback=_show_version)] = False,
) -> None:
    """Signed, orthonormal topics from triage notes, and an admission forecast that can be explained."""


command = typer.main.get_command(app)
