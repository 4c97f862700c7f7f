"""The local state of a block that lost it with its worker, made again from the shared factors by a rule beside each kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Rule = Callable[..., Any]
"""``rule(block, *shared) -> local``: the best local state given what the kernel is about to be given."""


def recovers(rule: Rule) -> Callable[[Rule], Rule]:
    """The kernel with the rule by which a lost local state of it is made again."""

    def decorate(kernel: Any) -> Any:
        kernel.recovered = rule
        return kernel

    return decorate


def recovered(kernel: Any, X: Any, *shared: Any) -> Any:
    """What ``kernel``, or the kernel of a ``partial``, needs as the local state of the block X."""
    return getattr(kernel, "func", kernel).recovered(X, *shared)
