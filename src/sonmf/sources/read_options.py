"""How to read files, where a person overrules what is recognised."""

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
    """How to read a file; None for what is to be recognised.

    Examples
    --------
    >>> from sonmf.sources import Reading
    >>> Reading.asked(sep="tab", encoding="latin-1")
    Reading(separator='\\t', encoding='latin-1', sheet=None)
    """

    separator: str | None = None
    """Separator of the cells of CSV, TSV and other text."""
    encoding: str | None = None
    """Encoding of text, by a name that Python knows."""
    sheet: str | None = None
    """Sheet of a workbook."""

    @classmethod
    def asked(cls, sep: str | None = None, encoding: str | None = None, sheet: str | None = None) -> Self:
        """From options of the command line: a separator may be a word, such as "tab"; an impossible one is refused."""
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
            f"--encoding {encoding}: there is no such encoding; common ones are utf-8, utf-16, cp1252 (Windows) and cp850 (DOS)"
        ) from None
