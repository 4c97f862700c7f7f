"""A local state that was lost with its worker is computed again from the shared factors, by a rule given with each kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from sonmf.types import Matrix

Rule = Callable[..., object]
"""``rule(block, *shared) -> local``: the best local state given what the kernel is about to be given."""


Kernel = TypeVar("Kernel", bound=Callable[..., object])


def recovers(rule: Rule) -> Callable[[Kernel], Kernel]:
    """Give a kernel the rule by which a lost local state is computed again."""

    def decorate(kernel: Kernel) -> Kernel:
        kernel.recovery = rule  # type: ignore[attr-defined]
        return kernel

    return decorate


def recover(kernel: Any, X: Matrix, *shared: object) -> object:
    """The local state of the block X that ``kernel``, or the kernel of a ``partial``, needs."""
    return getattr(kernel, "func", kernel).recovery(X, *shared)
