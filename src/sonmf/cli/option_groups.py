"""Groups of options: a dataclass whose fields are options that several verbs share.

A verb has one parameter for the whole group, and typer sees each field as an option of the verb.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import wraps
from inspect import Parameter, signature
from typing import Any, get_type_hints


def spell_out(verb: Callable[..., None]) -> Callable[..., None]:
    """The same verb with the fields of each group as parameters of their own."""
    groups, parameters, hints = {}, [], get_type_hints(verb, include_extras=True)
    for name, parameter in signature(verb).parameters.items():
        if dataclasses.is_dataclass(hints[name]):
            groups[name] = hints[name]
            parameters += _fields(hints[name])
        else:
            parameters.append(parameter.replace(annotation=hints[name], kind=Parameter.KEYWORD_ONLY))

    @wraps(verb)
    def spelt_out(**given: Any) -> None:
        made = {
            name: group(**{field.name: given.pop(field.name) for field in dataclasses.fields(group)})
            for name, group in groups.items()
        }
        verb(**given, **made)

    spelt_out.__signature__ = signature(verb).replace(parameters=parameters)  # type: ignore[attr-defined]
    spelt_out.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return spelt_out


def _fields(group: type) -> list[Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        Parameter(field.name, Parameter.KEYWORD_ONLY, default=field.default, annotation=hints[field.name])
        for field in dataclasses.fields(group)
    ]
