"""Long-standing illnesses: how they are written, what is taken for them, what they add to the log-odds, and who has them."""

from __future__ import annotations

from typing import NamedTuple

from sonmf.datasets.toml_table import Table, Texts
from sonmf.datasets.word_lists import NAMES


class Condition(NamedTuple):
    """An illness in a patient's history."""

    written: Texts
    drugs: Texts
    risk: float
    common: tuple[float, ...]
    """How common it is, relative to the others, in children, adults, and the old."""

    @classmethod
    def of(cls, table: Table) -> Condition:
        """The illness of a table."""
        written, drugs = (table.phrases(key, NAMES) for key in ("written", "drugs"))
        found = cls(written, drugs, table.number("risk"), table.numbers("common", 3))
        table.finish()
        return found


_TABLE = Table.read("conditions.toml")
CONDITIONS = {name: Condition.of(_TABLE.table(name)) for name in _TABLE}
