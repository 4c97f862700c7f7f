"""From bytes to text: in the given encoding or in that of the first bytes, else UTF-8, or Windows-1252 if a line needs it."""

from __future__ import annotations

import codecs
import io
from typing import TYPE_CHECKING

from sonmf.sources.errors import TableError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32-le",  # before UTF-16, whose mark it begins with
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
BYTE_ORDER_MARK = "\ufeff"
WINDOWS = "cp1252"
UNUSED = (0x81, 0x8D, 0x8F, 0x90, 0x9D)  # by Windows-1252
TITLES = {"utf-8": "UTF-8", WINDOWS: "Windows-1252 (Western Europe)"}
PIECE = 65536  # bytes that are recoded at a time


class Encoding:
    """The encoding of one file, as far as it is known yet: as given, or recognised by the first four bytes."""

    def __init__(self, file: object, first: bytes, given: str | None) -> None:
        self.file = file
        known = given or _recognise(first)
        self.name = known or "utf-8"
        self.sure = known is not None

    @property
    def title(self) -> str:
        """The usual name of the encoding."""
        return TITLES.get(self.name, self.name.upper().removesuffix("-LE").removesuffix("-BE"))

    def lines(self, stream: io.BufferedIOBase) -> io.BufferedIOBase:
        """A stream whose lines end in the same bytes as in ASCII, so that they can be cut before they are decoded."""
        return stream if self._cuts_as_ascii else io.BufferedReader(_Recoded(stream, self))

    @property
    def _cuts_as_ascii(self) -> bool:
        return "\r\n".encode(self.name) == b"\r\n"

    def refusal(self, line: int, where: str = "") -> TableError:
        """The error for a line in another encoding."""
        return TableError(
            f"{self.file} line {line} is not {self.title}{where}: "
            "give the encoding with --encoding, such as cp1252 or cp850, or save the file again as UTF-8"
        )

    def decoder(self) -> Decoder:
        """A decoder for one pass over the file."""
        return Decoder(self, self.name if self._cuts_as_ascii else "utf-8")


class Decoder:
    """Text of whole lines, one block after another; a byte-order mark is skipped."""

    def __init__(self, encoding: Encoding, name: str) -> None:
        self.encoding, self.name = encoding, name
        self.begun, self.ascii = False, True

    def __call__(self, block: bytes, line: int) -> str:
        """``line`` is the number of lines before the block."""
        try:
            text = block.decode(self.name)
        except UnicodeDecodeError as error:
            self._settle(block, line, error)
            return self(block, line)
        self.ascii = self.ascii and block.isascii()
        if not self.begun:
            text, self.begun = text.removeprefix(BYTE_ORDER_MARK), True
        return text

    def _settle(self, block: bytes, line: int, error: UnicodeDecodeError) -> None:
        """Read the file as Windows-1252 if nothing so far contradicts that, else refuse it."""
        if not self.encoding.sure and self.ascii and block[: error.start].isascii() and _may_be_windows(block):
            self.encoding.name, self.encoding.sure = WINDOWS, True
            self.name = WINDOWS
            return
        begin = block.rfind(b"\n", 0, error.start) + 1
        byte = f", at byte 0x{block[error.start]:02x} ({error.start - begin + 1} bytes into the line)"
        raise self.encoding.refusal(line + 1 + block.count(b"\n", 0, error.start), byte)


def _recognise(first: bytes) -> str | None:
    """The encoding that a byte-order mark shows, or zeros in every other byte, as in UTF-16 without a mark."""
    for mark, name in MARKS.items():
        if first.startswith(mark):
            return name
    zeros = "".join("0" if byte == 0 else "x" for byte in first)
    return {"x0x0": "utf-16-le", "0x0x": "utf-16-be"}.get(zeros)


def _may_be_windows(block: bytes) -> bool:
    """Whether Windows-1252 has all these bytes, and no line beyond ASCII is valid UTF-8."""
    more = [line for line in block.splitlines() if not line.isascii()]
    return not any(byte in block for byte in UNUSED) and not any(map(_is_utf_8, more))


def _is_utf_8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


class _Recoded(io.RawIOBase):
    """A stream in another encoding, as UTF-8."""

    def __init__(self, stream: io.BufferedIOBase, encoding: Encoding) -> None:
        self.stream, self.encoding = stream, encoding
        self.decoder = codecs.getincrementaldecoder(encoding.name)()
        self.rest = b""
        self.lines = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        while not self.rest:
            piece = self.stream.read(PIECE)
            try:
                self.rest = self.decoder.decode(piece, final=not piece).encode()
            except UnicodeError:
                raise self.encoding.refusal(self.lines + 1) from None
            self.lines += self.rest.count(b"\n")
            if not piece:
                break
        view = memoryview(buffer)
        filled = self.rest[: len(view)]
        view[: len(filled)] = filled
        self.rest = self.rest[len(filled) :]
        return len(filled)
