"""Tables of a TOML file whose entries are checked when they are read; an error names the file and the line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Container, Iterator
from pathlib import Path
from typing import TypeVar

from sonmf.datasets.grammar import fault

Texts = tuple[str, ...]
FOLDER = Path(__file__).with_name("phrase_lists")
Kind = TypeVar("Kind")


class Table:
    """A table, and the line of the file where it begins."""

    def __init__(self, file: str, lines: list[str], found: dict[str, object], first: int = 0) -> None:
        self.file, self.lines, self.found, self.first = file, lines, found, first
        self.asked: set[str] = set()

    @classmethod
    def read(cls, file: str, folder: Path = FOLDER) -> Table:
        """The whole file."""
        text = (folder / file).read_text(encoding="utf-8")
        try:
            return cls(file, text.splitlines(), tomllib.loads(text))
        except tomllib.TOMLDecodeError as error:  # it names the line
            raise ValueError(f"{file}: {error}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self.found)

    def table(self, *names: str) -> Table:
        """The table [a.b]."""
        found = self
        for depth, name in enumerate(names, start=1):
            head = rf"\[{re.escape('.'.join(names[:depth]))}\]"
            value = found._value(name, dict, "a table")
            found = Table(self.file, self.lines, value, found._line(head))
        return found

    def tables(self, key: str) -> list[Table]:
        """All tables [[key]]."""
        found = self._value(key, list, "tables")
        heads = [number for number, line in enumerate(self.lines) if line.startswith(f"[[{key}]]")]
        return [Table(self.file, self.lines, one, first) for first, one in zip(heads, found, strict=True)]

    def lists(self) -> dict[str, Texts]:
        """All entries, which are lists of texts."""
        return {key: self.texts(key) for key in self}

    def number(self, key: str, default: float | None = None) -> float:
        """A number."""
        return float(self._value(key, (int, float), "a number", default))

    def numbers(self, key: str, count: int) -> tuple[float, ...]:
        """A list of ``count`` numbers."""
        found = self._value(key, list, f"{count} numbers")
        if len(found) != count or not all(isinstance(number, (int, float)) for number in found):
            raise self.wrong(f"{key} must be {count} numbers", key)
        return tuple(found)

    def text(self, key: str, known: Container[str] | None = None) -> str:
        """A text, one of the known ones if these are given."""
        return self._known(key, str(self._value(key, str, "a text")), known)

    def texts(self, key: str, known: Container[str] | None = None, default: Texts | None = None) -> Texts:
        """A list of texts, all of them known if the known ones are given."""
        found = self._value(key, list, "a list of texts", None if default is None else list(default))
        if strange := next((one for one in found if not isinstance(one, str)), None):
            raise self.wrong(f"{key} has {strange!r}, which is not a text", key)
        return tuple(self._known(key, one, known) for one in found)

    def phrases(self, key: str, names: Container[str], default: Texts | None = None) -> Texts:
        """A list of phrases that use these names in braces."""
        found = self.texts(key, default=default)
        for phrase in found:
            if reason := fault(phrase, names):
                raise self.wrong(f"{phrase!r} of {key} {reason}", key, f'"{phrase}"')
        return found

    def finish(self) -> None:
        """Refuse entries that were not read."""
        if strange := next((key for key in self.found if key not in self.asked), None):
            raise self.wrong(f"{strange} is unknown; known are {', '.join(sorted(self.asked))}", strange)

    def wrong(self, what: str, key: str, near: str = "") -> ValueError:
        """The error for an entry, with the line of the entry or of the text ``near`` in it."""
        line = self._line(rf'"?{re.escape(key)}"?\s*=')
        line = next((number for number in range(line, len(self.lines)) if near in self.lines[number]), line)
        return ValueError(f"{self.file}, line {line + 1}: {what}")

    def _value(self, key: str, kind: type[Kind] | tuple[type[Kind], ...], name: str, default: Kind | None = None) -> Kind:
        self.asked.add(key)
        value = self.found.get(key, default)
        if value is None:
            raise self.wrong(f"{key} is missing: {name}", key)
        if not isinstance(value, kind) or isinstance(value, bool):
            raise self.wrong(f"{key} must be {name}", key)
        return value

    def _known(self, key: str, value: str, known: Container[str] | None) -> str:
        if known is not None and value not in known:
            raise self.wrong(f"{key} has {value!r}, which is unknown", key, f'"{value}"')
        return value

    def _line(self, pattern: str) -> int:
        """The first line of the table that matches, or the line where the table begins."""
        return next(
            (number for number in range(self.first, len(self.lines)) if re.match(pattern, self.lines[number])), self.first
        )
