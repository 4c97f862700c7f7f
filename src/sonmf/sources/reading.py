"""How files are to be read, where a person knows better than what is recognised."""

from __future__ import annotations

from typing import NamedTuple, Self

WORDS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "space": " "}
OPTIONS = {
    "separator": "--sep is for CSV, TSV and other text",
    "encoding": "--encoding is for CSV, TSV and other text",
    "sheet": "--sheet is for a workbook",
}
NO_SEPARATORS = '"\r\n'


class Reading(NamedTuple):
    """What was said of how files are spelt; None: as is recognised.

    Examples
    --------
    >>> from sonmf.sources import Reading
    >>> Reading.asked(sep="tab", encoding="latin-1")
    Reading(separator='\\t', encoding='latin-1', sheet=None)
    """

    separator: str | None = None
    """Of the cells of CSV, TSV and other text."""
    encoding: str | None = None
    """Of text, by a name that Python knows."""
    sheet: str | None = None
    """Of a workbook."""

    @classmethod
    def asked(cls, sep: str | None = None, encoding: str | None = None, sheet: str | None = None) -> Self:
        """As options say it: a separator may be a word, such as "tab"; what cannot be meant is refused."""
        separator = None if sep is None else WORDS.get(sep.lower(), sep)
        if separator is not None and (len(separator) != 1 or separator in NO_SEPARATORS):
            raise ValueError(f"--sep {sep}: give one character, such as ';', or one of {', '.join(WORDS)}")
        if encoding is not None:
            _refuse_unknown(encoding)
        return cls(separator, encoding, sheet)


def _refuse_unknown(encoding: str) -> None:
    try:
        "".encode(encoding)
    except (LookupError, ValueError):
        raise ValueError(
            f"--encoding {encoding}: there is no such encoding; usual ones are utf-8, utf-16, cp1252 (Windows) and cp850 (DOS)"
        ) from None
