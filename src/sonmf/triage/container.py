"""Named arrays in one file: the layout of safetensors, with a SHA-256 of all other bytes at the end.

    8 bytes    length n of the header
    n bytes    JSON: {"__metadata__": {...}, name: {"dtype", "shape", "data_offsets"}, ...}, then spaces
    the rest   the arrays, one after another; the last one is called sha256 and ends the file

So every reader of safetensors can look inside, and every byte is covered: the last 32 are the digest of those before them.
"""

from __future__ import annotations

import hashlib
import math
import os
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple, TypedDict

import numpy as np
from numpy.typing import DTypeLike

from sonmf.triage import strict_json
from sonmf.triage.records import shape_of
from sonmf.types import Array

SEAL = "sha256"
SEAL_BYTES = 32
METADATA = "__metadata__"
TYPES: dict[str, DTypeLike] = {"F64": np.dtype("<f8"), "U8": np.dtype("u1")}
ALIGNMENT = 8
LONGEST_HEADER = 100_000_000  # bytes, as in safetensors; a model of 100 complaints with 3000 words each needs about 20 million
MOST_ARRAYS = 100_000
FOREIGN = "{} is not a model of sonmf, or it is damaged or cut short: fit or copy it again"


class Entry(TypedDict):
    """Where an array lies."""

    dtype: str
    shape: list[int]
    data_offsets: list[int]


ENTRY = strict_json.Exactly(shape_of(Entry) | {"dtype": frozenset(TYPES)})


class ModelFileError(ValueError):
    """A model file that cannot be read, with the reason and the remedy in one sentence."""


class Contents(NamedTuple):
    """What is in a file."""

    arrays: dict[str, Array]
    """Without the checksum; read-only."""
    metadata: dict[str, str]
    sealed: bool
    """Whether there is a checksum; one that does not agree is an error."""
    digest: str
    """SHA-256 of the file as it lies on the disk, in hexadecimal digits."""


def write(path: Path, arrays: Mapping[str, Array], metadata: Mapping[str, str]) -> str:
    """Write float64 arrays and texts; returns the SHA-256 of the file."""
    ordered = {name: np.ascontiguousarray(array, TYPES["F64"]) for name, array in arrays.items()}
    header: dict[str, object] = {METADATA: dict(metadata)}
    end = 0
    for name, array in ordered.items():
        header[name] = _entry("F64", array.shape, end)
        end += array.nbytes
    header[SEAL] = _entry("U8", (SEAL_BYTES,), end)
    text = strict_json.dumps(header).encode()
    text += b" " * (-len(text) % ALIGNMENT)
    strict_json.require(len(text) <= LONGEST_HEADER, "the model has more words than one file can hold: raise min_df")
    digest = hashlib.sha256()
    parts: list[bytes | memoryview] = [len(text).to_bytes(ALIGNMENT, "little"), text]
    parts += [array.data.cast("B") for array in ordered.values()]
    with path.open("wb") as file:
        for part in parts:
            digest.update(part)
            file.write(part)
        seal = digest.digest()
        file.write(seal)
    digest.update(seal)
    return digest.hexdigest()


def read(path: Path, expect_sha256: str | None = None) -> Contents:
    """The arrays and texts of a file, or a ``ModelFileError``; nothing in it is used before it is checked."""
    expected = _hexadecimal(expect_sha256)
    data = _bytes(path)
    body, seal = memoryview(data)[:-SEAL_BYTES], data[-SEAL_BYTES:]
    digest = hashlib.sha256(body)
    agrees = digest.digest() == seal
    digest.update(seal)
    if expected not in (None, digest.hexdigest()):
        raise ModelFileError(
            f"{path} is not the file that is expected, its SHA-256 is {digest.hexdigest()}: get it again from its source"
        )
    try:
        entries, metadata, start = _layout(data)
    except (ValueError, MemoryError):
        raise ModelFileError(FOREIGN.format(path)) from None
    sealed = entries.pop(SEAL, None) is not None
    if sealed and not agrees:
        raise ModelFileError(f"{path} is damaged, its checksum does not agree with its contents: fit or copy it again")
    arrays = {}
    for name, one in entries.items():
        flat = np.frombuffer(data, TYPES[one["dtype"]], math.prod(one["shape"]), start + one["data_offsets"][0])
        arrays[name] = flat.reshape(one["shape"])
    return Contents(arrays, metadata, sealed, digest.hexdigest())


def _entry(dtype: str, shape: Iterable[int], start: int) -> Entry:
    shape = list(shape)
    size = np.dtype(TYPES[dtype]).itemsize * math.prod(shape)
    return {"dtype": dtype, "shape": shape, "data_offsets": [start, start + size]}


def _hexadecimal(digest: str | None) -> str | None:
    if digest is None:
        return None
    plain = digest.strip().lower()
    if len(plain) != 64 or set(plain) - set("0123456789abcdef"):
        raise ValueError(
            f"expect_sha256={digest!r} is not a SHA-256: give its 64 hexadecimal digits, as `sha256sum` prints them"
        )
    return plain


def _bytes(path: Path) -> bytes:
    """The whole file; a foreign one is refused before it is read, whatever its size."""
    try:
        if path.is_dir():
            raise ModelFileError(f"{path} is a folder: give the model file in it")
        if not stat.S_ISREG(path.stat().st_mode):
            raise ModelFileError(f"{path} is not a file on a disk: copy the model to a file first")
        with path.open("rb") as file:
            length = int.from_bytes(file.read(ALIGNMENT), "little")
            room = os.fstat(file.fileno()).st_size - ALIGNMENT
            if not 2 <= length <= min(room, LONGEST_HEADER):
                raise ModelFileError(FOREIGN.format(path))
            file.seek(0)
            return file.read()
    except FileNotFoundError:
        raise ModelFileError(f"there is no file {path}: fit a model with `sonmf fit`, or check the name") from None
    except OSError as error:
        raise ModelFileError(f"{path} cannot be read ({error.strerror or error}): check its permissions") from None
    except MemoryError:
        raise ModelFileError(f"{path} is larger than the memory of this machine: use a larger one") from None


def _layout(data: bytes) -> tuple[dict[str, Entry], dict[str, str], int]:
    """Where each array lies, the texts, and where the arrays begin; every byte belongs to one of them."""
    start = ALIGNMENT + int.from_bytes(data[:ALIGNMENT], "little")
    header = strict_json.loads(data[ALIGNMENT:start].decode())
    strict_json.require(isinstance(header, dict), "the header is not an object")
    strict_json.require(len(header) <= MOST_ARRAYS, "there are too many arrays")
    metadata = strict_json.validate({str: str}, header.pop(METADATA, {}), METADATA)
    entries: dict[str, Entry] = strict_json.validate({str: ENTRY}, header, "header")
    end = 0
    for name, entry in sorted(entries.items(), key=lambda item: item[1]["data_offsets"]):
        shape = entry["shape"]
        if len(shape) not in (1, 2) or min(shape) < 1 or entry != _entry(entry["dtype"], shape, end):
            raise ValueError("the arrays overlap, leave gaps or have no size")
        end = entry["data_offsets"][1]
        if name == SEAL and (entry["dtype"], shape, start + end) != ("U8", [SEAL_BYTES], len(data)):
            raise ValueError("the checksum is not at the end")
    if start + end != len(data):
        raise ValueError("the arrays do not fill the file")
    return entries, metadata, start
