"""The directive ``cli-reference``: every verb of ``sonmf`` with its options and examples, as the command line has them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from textwrap import dedent
from typing import Any

import typer
from docutils import nodes
from docutils.parsers.rst import Directive

from sonmf.cli import app

WORDS = {
    r"<(int|float)( range)?>": "<number>",
    "<str>": "<text>",
    r"(?:\((default: [^()]*)\) +)?\[((?:default|required|env|x>|[\d.]+<)[^\]]*)\]$": lambda found: (
        f"({'; '.join(filter(None, found.groups()))})"
    ),
    r"([\d.]+)<=x<=([\d.]+)": r"\1 to \2",
    r"x>=([\d.]*\d)": lambda found: f"at least {float(found[1]):g}",
    "env var: ": "environment variable ",
}


class CliReference(Directive):
    """All verbs in a sentence each, and a section for each verb."""

    def run(self) -> list[nodes.Node]:
        return [overview(), *(section(name) for name in app.VERBS)]


def overview() -> nodes.definition_list:
    """The verbs with their first sentences, each with a link to its section."""
    found = nodes.definition_list(classes=["options"])
    for name in app.VERBS:
        link = nodes.reference("", "", nodes.literal("", name), internal=True, refid=f"sonmf-{name}")
        meaning = dedent(app.load(name).help or "").strip().split("\n\n")[0]
        found += nodes.definition_list_item("", nodes.term("", "", link), nodes.definition("", paragraph(meaning)))
    return found


def section(name: str) -> nodes.section:
    verb = app.load(name)
    context = typer.Context(verb, info_name=f"sonmf {name}")
    first, *more = dedent(verb.help or "").strip().split("\n\n")
    parts: list[nodes.Node] = [paragraph(first), code(" ".join(usage(verb)), "text")]
    parts += [paragraph(text) for text in more]
    parts.append(options(verb, context))
    parts.append(code(examples(verb.epilog or ""), "bash"))
    return nodes.section("", nodes.title("", f"sonmf {name}"), *parts, ids=[f"sonmf-{name}"])


def usage(verb: Any) -> Iterator[str]:
    yield f"sonmf {verb.name}"
    for parameter in verb.params:
        if parameter.param_type_name == "argument":
            yield parameter.name.upper() if parameter.required else f"[{parameter.name.upper()}]"
    yield "[OPTIONS]"


def options(verb: Any, context: typer.Context) -> nodes.definition_list:
    """What ``--help`` says of each argument and option, and the value that it has if it is not given."""
    found = nodes.definition_list(classes=["options"])
    for parameter in verb.params:
        record = parameter.get_help_record(context)
        if record is None or parameter.name == "help":
            continue
        spelling, meaning = record
        if parameter.param_type_name == "argument":
            spelling = parameter.name.upper()
        term = nodes.term("", "", nodes.literal("", in_words(spelling)))
        found += nodes.definition_list_item("", term, nodes.definition("", paragraph(in_words(meaning))))
    return found


def in_words(text: str) -> str:
    """``<int range>`` and ``[default: 5; x>=1]`` as people write them."""
    for pattern, words in WORDS.items():
        text = re.sub(pattern, words, text)
    return text


def paragraph(text: str) -> nodes.paragraph:
    """Text with options and the words between backticks as code."""
    found = nodes.paragraph()
    for at, piece in enumerate(re.split(r"(`+[^`]+`+|(?<!\S)--[a-z][a-z0-9-]+)", " ".join(text.split()))):
        found += nodes.literal("", piece.strip("`")) if at % 2 else nodes.Text(piece)
    return found


def examples(epilog: str) -> str:
    """The lines to copy, without the heading and the marks that keep them from being wrapped."""
    shown = [dedent(block.replace(app.AS_IT_IS, "").strip("\n")) for block in epilog.split("\n\n")[1:]]
    return "\n\n".join(re.sub(r"^ (?=#|sonmf)", "", block, flags=re.M) for block in shown)


def code(text: str, language: str) -> nodes.literal_block:
    return nodes.literal_block(text, text, language=language)


def setup(app: Any) -> dict[str, bool]:
    app.add_directive("cli-reference", CliReference)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
