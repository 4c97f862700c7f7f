"""Named arrays in one file of safetensors, whose last array, ``sha256``, is the digest of all bytes before it.

So every reader of safetensors can look inside, and every byte is covered.
"""

from __future__ import annotations

import hashlib
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import safetensors
from msgspec import Struct, field
from safetensors.numpy import save

from sonmf.errors import InputError
from sonmf.triage import strict_json
from sonmf.types import Array

SEAL = "sha256"  # of the bytes before it: safetensors puts bytes after numbers, and these in the order of their names
SEAL_BYTES = 32
TYPES: dict[str, np.dtype[Any]] = {"F64": np.dtype("<f8"), "U8": np.dtype("u1")}
LONGEST_LAYOUT = 10_000_000  # bytes that say where the arrays lie; a model of 1000 complaints needs about a million
LARGEST = 4_000_000_000  # bytes of a file
FOREIGN = "{} is not a model of sonmf, or it is damaged or cut short: fit or copy it again"


class ModelFileError(InputError):
    """A model file that cannot be read, with the reason and the remedy in one sentence."""


class Layout(Struct, frozen=True):
    """The metadata of a file, which stand beside the places of its arrays."""

    metadata: dict[str, str] = field(name="__metadata__", default_factory=dict)


class Contents(NamedTuple):
    """The content of a file."""

    arrays: dict[str, Array]
    """The arrays of the file, without the checksum."""
    metadata: dict[str, str]
    digest: str
    """SHA-256 of the file as it lies on the disk, in hexadecimal digits."""


def write(path: Path, arrays: Mapping[str, Array], metadata: Mapping[str, str]) -> str:
    """Write arrays of float64 or of bytes, and texts; returns the SHA-256 of the file."""
    sealed = {**arrays, SEAL: np.zeros(SEAL_BYTES, np.uint8)}
    body = save({name: np.ascontiguousarray(array) for name, array in sealed.items()}, dict(metadata))[:-SEAL_BYTES]
    data = body + hashlib.sha256(body).digest()
    path.write_bytes(data)
    return hashlib.sha256(data).hexdigest()


def read(path: Path, expect_sha256: str | None = None) -> Contents:
    """The arrays and texts of a file, or a ``ModelFileError``; nothing in it is used before it is checked."""
    expected = _hexadecimal(expect_sha256)
    data = _bytes(path)
    digest = hashlib.sha256(data).hexdigest()
    if expected not in (None, digest):
        raise ModelFileError(f"{path} is not the expected file: its SHA-256 is {digest}. Get it again from its source")
    try:
        tensors = dict(safetensors.deserialize(data))  # type: ignore[no-untyped-call]
        layout = strict_json.decode(Layout, data[8 : 8 + _layout_length(data)])
        arrays = {name: _array(tensor) for name, tensor in tensors.items()}
    except (ValueError, MemoryError, safetensors.SafetensorError):
        raise ModelFileError(FOREIGN.format(path)) from None
    if arrays.pop(SEAL, np.empty(0)).tobytes() != data[-SEAL_BYTES:]:
        raise ModelFileError(
            f"{path} is not a model of sonmf, as it has no checksum at its end: give a file that `sonmf fit` wrote"
        )
    if hashlib.sha256(memoryview(data)[:-SEAL_BYTES]).digest() != data[-SEAL_BYTES:]:
        raise ModelFileError(f"{path} is damaged, because its checksum does not match its contents: fit or copy it again")
    return Contents(arrays, layout.metadata, digest)


def _layout_length(data: bytes) -> int:
    return int.from_bytes(data[:8], "little")


def _array(tensor: Mapping[str, Any]) -> Array:
    strict_json.require(tensor["dtype"] in TYPES, "an array has another type")
    flat: Array = np.frombuffer(tensor["data"], TYPES[tensor["dtype"]])
    return flat.reshape(tensor["shape"])


def _hexadecimal(digest: str | None) -> str | None:
    if digest is None:
        return None
    digits = digest.strip().lower()
    if len(digits) != 64 or set(digits) - set("0123456789abcdef"):
        raise InputError(
            f"expect_sha256={digest!r} is not a SHA-256: give its 64 hexadecimal digits, as `sha256sum` prints them"
        )
    return digits


def _bytes(path: Path) -> bytes:
    """The whole file; a foreign one is refused before it is read, whatever its size."""
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise ModelFileError(f"{path} is a folder: give the model file in it")
        if not stat.S_ISREG(status.st_mode):
            raise ModelFileError(f"{path} is not a file on a disk: copy the model to a file first")
        with path.open("rb") as file:
            start = file.read(8)
            if not 2 <= _layout_length(start) <= min(status.st_size - 8, LONGEST_LAYOUT) or status.st_size > LARGEST:
                raise ModelFileError(FOREIGN.format(path))
            return start + file.read(LARGEST)
    except FileNotFoundError:
        raise ModelFileError(f"there is no file {path}: fit a model with `sonmf fit`, or check the name") from None
    except OSError as error:
        raise ModelFileError(f"{path} cannot be read ({error.strerror or error}): check its permissions") from None
    except MemoryError:
        raise ModelFileError(f"{path} is larger than the memory of this machine: use a larger one") from None
