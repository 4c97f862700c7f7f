"""What the values of an outcome mean: admitted, not admitted, or a row that is left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from sonmf.sources import Source
from sonmf.sources.did_you_mean import did_you_mean
from sonmf.triage.file_columns import FileColumns, Named
from sonmf.triage.inputs import values_in_words
from sonmf.triage.provenance import Provenance, in_words, rows_by_value

if TYPE_CHECKING:
    import pandas as pd


class Plan(NamedTuple):
    """The columns, and what the values of the label mean."""

    named: Named
    meaning: dict[str, str]
    """The disposition that each value of the label stands for; rows with any other are left out."""
    positive: str
    provenance: Provenance
    """Without the fingerprint of the notes: they may come in parts."""
    source: Source
    left: tuple[str, ...]
    """What a person should know of the rows, a sentence each."""

    @property
    def remarks(self) -> tuple[str, ...]:
        """The same, after what is known so far of how the source was read."""
        return (*self.source.remarks, *self.left)

    @property
    def classes(self) -> list[str]:
        """The other disposition, and the one that means admitted."""
        return [*({*self.meaning.values()} - {self.positive}), self.positive]


def label_texts(cells: pd.Series) -> list[str | None]:
    """Values of a label without surrounding spaces; None for an empty one."""
    values = cells.astype("string").str.strip()
    return [value if there and value else None for value, there in zip(values, values.notna(), strict=True)]


def plan(named: Named, counts: Counter[str | None], columns: FileColumns, source: Source) -> Plan:
    """What the values of the label mean, from how often each occurs."""
    usual = columns.like or columns.known
    positive = _values(columns.positive, usual.positive if usual else ("admitted",))
    negative = _values(columns.negative, usual.negative if usual else ())
    found = {value: count for value, count in counts.items() if value is not None}
    _refuse_missing("--positive", positive, columns.positive, named.label, found, columns.min_df)
    _refuse_missing("--negative", negative, columns.negative, named.label, found, columns.min_df)
    others = [value for value in sorted(found) if value not in positive and (value in negative or not negative)]
    neither = [value for value in counts if value not in positive and value not in others]
    admitted, not_admitted, left_out = (
        rows_by_value({value: counts[value] for value in values if value in counts}, columns.min_df, {*positive, *negative})
        for values in (positive, others, neither)
    )
    said = [f"{sum(left_out.values())} rows left out for their {named.label}: {in_words(left_out)}"] if left_out else []
    if not others:
        raise ValueError(_one_outcome(source, positive[0], named.label, said))
    if len(others) > 1 and not negative:
        said.append(f"not admitted: {in_words(not_admitted)} (choose with --negative)")
    yes = positive[0] if len(positive) == 1 else "admitted"
    no = others[0] if len(others) == 1 and others[0] != yes else f"not {yes}"
    asked = Provenance(
        source=source.name, text=named.text, label=named.label, group=named.group, positive=positive, negative=negative,
        admitted=admitted, not_admitted=not_admitted, left_out=left_out, rows=sum(counts.values()), preset=columns.preset,
        subgroups=named.subgroups, columns=named.beside, missing=tuple(sorted(named.missing)), time=columns.time,
    )  # fmt: skip
    meaning = dict.fromkeys(others, no) | dict.fromkeys(positive, yes)
    return Plan(named, meaning, yes, asked, source, tuple(said))


def _one_outcome(source: Source, positive: str, label: str, left_out: list[str]) -> str:
    why = f" ({left_out[0]})" if left_out else ""
    return f"every row of {source} that counts is {positive!r} in column {label!r}{why}: patients of both outcomes are needed"


def _values(asked: str | None, default: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(value.strip() for value in asked.split(",")) if asked else default


def _refuse_missing(
    option: str, wanted: tuple[str, ...], asked: str | None, label: str, found: dict[str, int], fewest: int
) -> None:
    """Each value that was asked for must occur; of the values of a preset or a model at least one."""
    missing = [value for value in wanted if value not in found]
    if missing and (asked or len(missing) == len(wanted)):
        raise ValueError(_no_such_value(option, missing, label, found, fewest))


def _no_such_value(option: str, wanted: Sequence[str], label: str, found: dict[str, int], fewest: int) -> str:
    """Values of a few rows are not shown: they may be something else than outcomes, such as notes."""
    near = did_you_mean(wanted[0], [value for value, count in found.items() if count >= fewest])
    there = values_in_words(found, fewest)
    return f"{option} {', '.join(wanted)}: column {label!r} has no such value{near}; it has {there}"
