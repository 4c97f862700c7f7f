"""Attacks on promises, one a file: its first line is the promise, and ``attack(scale, seed) -> Outcome`` tries to break it."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from torture.outcome import Outcome

ATTACKS = (
    "ugly_matrices",
    "broken_structures",
    "model_files",
    "kills",
    "fuzzed_requests",
    "bombs",
    "canaries",
    "terminal_markup",
    "spreadsheet_formulas",
)


def attack_named(name: str) -> Callable[[float, int], Outcome]:
    """The attack of a module of this folder."""
    attack: Callable[[float, int], Outcome] = import_module(f"torture.{name}").attack
    return attack


def promise_of(name: str) -> str:
    """What the attack tries to break."""
    return str(import_module(f"torture.{name}").__doc__).splitlines()[0]
