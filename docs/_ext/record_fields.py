"""The fields of a record (a named tuple, a msgspec struct, a dataclass) on its page, each with its type and its docstring."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from textwrap import dedent, indent
from typing import Any

PLAIN = {"Array": "ndarray", "NaturalNumber": "int", "PatientCount": "int", "NumberOrNaN": "float"}
"""Names of types that only the code knows."""


def fields(kind: type) -> Iterator[tuple[str, str, str]]:
    """Name, type and docstring of the fields that a class declares; the docstring is the string below a field."""
    body = ast.parse(dedent(inspect.getsource(kind))).body[0].body
    for one, below in zip(body, [*body[1:], None], strict=True):
        if (
            isinstance(one, ast.AnnAssign)
            and not one.target.id.startswith("_")
            and "ClassVar" not in ast.unparse(one.annotation)
        ):
            yield one.target.id, ast.unparse(one.annotation), text_of(below)


def text_of(node: ast.stmt | None) -> str:
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    return inspect.cleandoc(node.value.value) if is_text else ""


def add_fields(app: Any, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """Put the fields before the examples, in the form that numpydoc gives to parameters."""
    if what != "class" or any(line.startswith((":Parameters:", ":Attributes:")) for line in lines):
        return
    found = list(fields(value))
    if not found:
        return
    written = [":Fields:", ""]
    for field, kind, text in found:
        kind = re.sub(r"\w+", lambda name: PLAIN.get(name[0], name[0]), kind)
        written += [f"    **{field}** : {kind}", *indent(text or "..", " " * 8).splitlines(), ""]
    place = next((at for at, line in enumerate(lines) if line.startswith(".. rubric::")), len(lines))
    lines[place:place] = ["", *written, ""]


def setup(app: Any) -> dict[str, bool]:
    app.connect("autodoc-process-docstring", add_fields, priority=900)  # after numpydoc
    return {"parallel_read_safe": True, "parallel_write_safe": True}
