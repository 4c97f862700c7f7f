"""Documents in blocks that are read whenever a pass needs them: folders of files, one CSR matrix on disk, a dask array."""

from __future__ import annotations

import itertools
import os
import re
import zipfile
import zlib
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import IO, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import DTypeLike

from sonmf.errors import EntryError, InputError
from sonmf.kernels.structure import check_pointers
from sonmf.types import Array, Matrix

SHARE = 4  # a block at work, one read ahead, and as much again for copies while reading and for factors
PROCESS = 320 * 10**6  # bytes of a process that has loaded everything a fit needs, measured
CSR_FILES = ("data", "indices", "indptr")
NOT_NPZ = (KeyError, OSError, TypeError, ValueError, zipfile.BadZipFile, zlib.error)  # what reading another file may raise
Reader = Callable[[], Matrix]

UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}


class Blocks:
    """X as a sequence of blocks of documents, each read by a function without arguments.

    Parameters
    ----------
    readers : sequence of callables
        Each returns one block of documents: a numpy array or a scipy sparse matrix.
    sizes : sequence of int
        Documents in each block.
    n_words : int
    dtype : dtype
    """

    def __init__(self, readers: Sequence[Reader], sizes: Sequence[int], n_words: int, dtype: DTypeLike) -> None:
        self.sizes = list(sizes)
        pairs = zip(readers, self.sizes, strict=True)
        self.readers: list[Reader] = [partial(_then, partial(check_shape, (size, n_words)), read) for read, size in pairs]
        self.shape = (sum(self.sizes), n_words)
        self.dtype = np.dtype(dtype)
        self.ndim = 2

    def map(self, function: Callable[..., Matrix], dtype: DTypeLike, n_words: int, rows: Array | None = None) -> Blocks:
        """The same blocks with a function applied to each after it is read, which then have ``n_words`` columns.

        ``rows`` has a row for each document. If it is given, the function also takes the rows of its block.
        """
        ends = np.cumsum(self.sizes).tolist()
        parts = [()] * len(ends) if rows is None else [(b,) for b in np.split(rows, ends[:-1])]
        known = zip([0, *ends[:-1]], self.readers, parts, strict=True)
        readers = [partial(_then, partial(in_block, first, function), read, *part) for first, read, part in known]
        return Blocks(readers, self.sizes, n_words, dtype)


def _then(function: Callable[..., Matrix], read: Reader, *rows: Array) -> Matrix:
    return function(read(), *rows)


def in_block(first: int, function: Callable[..., Matrix], *block: Matrix) -> Matrix:
    """The function of a block that begins at this row of X. An entry it refuses is named by its row in X."""
    try:
        return function(*block)
    except EntryError as refusal:
        raise EntryError(refusal.message, first + refusal.row, refusal.column, refusal.value) from None


def check_shape(shape: tuple[int, int], block: Matrix) -> Matrix:
    """The block if it has this shape: kernels rely on the sizes that were announced."""
    if block.shape != shape:
        raise InputError(
            f"a block of X has the shape {block.shape}, but {shape} was announced: give sizes and n_words as they are"
        )
    return block


def blocks_of_dask(X: Matrix) -> Blocks:
    """The blocks of a dask array, computed one after another in this process."""
    readers = [partial(block.compute, scheduler="synchronous") for block in X.to_delayed().ravel()]
    return Blocks(readers, X.chunks[0], X.shape[1], X.dtype)


def open_blocks(path: str | Path, memory: int | str | None = None) -> Blocks:
    """X = the rows of all files of a folder, in the order of their names, read block after block and never all at once.

    Parameters
    ----------
    path : str or Path
        A folder of ``*.npz`` files (``scipy.sparse.save_npz``), of ``*.parquet`` files (a column for each word), or one matrix
        as written by ``save_csr``.
    memory : int or str, optional
        Bytes this process may use in all, such as ``"1GB"``. A matrix written by ``save_csr`` is cut into blocks that fit; a
        file that does not fit is refused.

    Returns
    -------
    Blocks
        What ``fit``, ``transform`` and ``score`` take as X.

    Examples
    --------
    >>> import tempfile
    >>> from sonmf import SONMF, simulate
    >>> from sonmf.engines.blocks import open_blocks, save_csr
    >>> X = simulate.corpus(300, 100, random_state=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_csr(folder, X)
    ...     on_disk = SONMF(3).fit(open_blocks(folder))
    >>> bool(np.allclose(on_disk.components_, SONMF(3).fit(X).components_))
    True
    """
    folder = Path(path)
    room = block_bytes(memory)
    if (folder / "indptr.npy").exists():
        return _csr_blocks(folder, room)
    for pattern, describe in {"*.npz": _describe_npz, "*.parquet": _describe_parquet}.items():
        if files := sorted(file for file in folder.glob(pattern) if not file.name.startswith(".")):
            return _file_blocks([describe(file) for file in files], room)
    raise InputError(
        f"{folder} holds no blocks: give a folder of .npz files (scipy.sparse.save_npz), of .parquet files, "
        "or one written by sonmf.engines.blocks.save_csr"
    )


def save_csr(path: str | Path, X: Matrix) -> None:
    """Write a sparse matrix as plain arrays that can be read in parts: data.npy, indices.npy, indptr.npy, shape.npy.

    Parameters
    ----------
    path : str or Path
        The folder; it is created if it does not exist.
    X : sparse matrix
    """
    folder = Path(path)
    folder.mkdir(parents=True, exist_ok=True)
    X = X.tocsr()
    for name in CSR_FILES:
        np.save(folder / f"{name}.npy", getattr(X, name))
    np.save(folder / "shape.npy", np.array(X.shape))


def parse_bytes(memory: int | str) -> int:
    """A number of bytes from "1GB", "512 MiB" or a plain number.

    Examples
    --------
    >>> parse_bytes("1.5GB"), parse_bytes("64 MiB"), parse_bytes(1000)
    (1500000000, 67108864, 1000)
    """
    size = re.fullmatch(r"\s*([0-9]{1,18}\.?[0-9]*|\.[0-9]+)\s*([kmgt]?i?)b?\s*", str(memory).lower())
    if not size or size[2] not in UNITS:
        raise InputError(f"memory={memory!r} is not a size: write it like 1GB, 512MB or 2GiB")
    return int(float(size[1]) * UNITS[size[2]])


def block_bytes(memory: int | str | None) -> int:
    """The largest block that keeps this process within its budget; 64 MB if there is no budget."""
    if memory is None:
        return 64 * 10**6
    budget, used = parse_bytes(memory), max(resident(), PROCESS)
    if (room := (budget - used) // SHARE) < 2**20:
        raise InputError(
            f"memory={memory} leaves no room for documents: a fit holds {used / 1e6:.0f} MB without any; "
            f"give at least {used / 1e6 + 50:.0f}MB"
        )
    return room


def resident() -> int:
    """The bytes of memory that this process holds; 0 if the system does not say."""
    status = Path("/proc/self/statm")
    return int(status.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") if status.exists() else 0


# ---- one CSR matrix in plain arrays ----


def _csr_blocks(folder: Path, room: int) -> Blocks:
    try:
        rows, columns = (int(side) for side in np.load(folder / "shape.npy"))
        data, indices, indptr = (np.load(folder / f"{name}.npy", mmap_mode="r") for name in CSR_FILES)
    except (EOFError, TypeError, ValueError):
        raise InputError(
            f"{folder} is not a valid sparse matrix: one of its arrays cannot be read; write it again with save_csr"
        ) from None
    _check_integers(indices.dtype, indptr.dtype)
    if len(indptr) != rows + 1 or len(indices) != len(data):
        raise InputError(
            f"{folder} is not a valid sparse matrix: the lengths of its arrays do not match; write it again with save_csr"
        )
    entries = max(1, room // (data.itemsize + indices.itemsize))
    bounds, longest = [0], max(1, room // 64)
    while bounds[-1] < rows:
        fitting = int(np.searchsorted(indptr, indptr[bounds[-1]] + entries, side="right")) - 1
        bounds.append(min(max(fitting, bounds[-1] + 1), bounds[-1] + longest, rows))
    readers = [partial(_read_csr, folder, a, b, columns, len(data)) for a, b in itertools.pairwise(bounds)]
    return Blocks(readers, np.diff(bounds).tolist(), columns, data.dtype)


def _check_integers(*dtypes: DTypeLike) -> None:
    """scipy would cut off what follows the decimal point."""
    if any(np.dtype(dtype).kind not in "iu" for dtype in dtypes):
        raise InputError("the indices of a sparse matrix must be whole numbers: write it again with save_csr or save_npz")


def _read_csr(folder: Path, a: int, b: int, columns: int, entries: int) -> Matrix:
    """Documents a to b."""
    indptr = _read_part(folder / "indptr.npy", a, b + 1)
    check_pointers(indptr, entries, str(folder))
    data, indices = (_read_part(folder / f"{name}.npy", indptr[0], indptr[-1]) for name in CSR_FILES[:2])
    return scipy.sparse.csr_array((data, indices, indptr - indptr[0]), shape=(b - a, columns))


def _read_part(path: Path, start: int, stop: int) -> Array:
    """Elements start to stop of an array on disk. A memory map would count as our memory for as long as it is open."""
    with path.open("rb") as file:
        _, dtype = _header(file)
        file.seek(int(start) * dtype.itemsize, os.SEEK_CUR)
        return np.fromfile(file, dtype, int(stop - start))


def _header(file: IO[bytes]) -> tuple[int, np.dtype[np.generic]]:
    """Length and dtype of the array that begins here; the file is then at its first element."""
    np.lib.format.read_magic(file)
    shape, _, dtype = np.lib.format.read_array_header_1_0(file)
    return int(np.prod(shape)), dtype


# ---- folders of files ----


class FileBlock(NamedTuple):
    """A file that holds one block."""

    file: Path
    read: Reader
    documents: int
    words: int
    dtype: DTypeLike
    bytes: int
    """Size of the block in memory."""


def _file_blocks(blocks: list[FileBlock], room: int) -> Blocks:
    first = blocks[0]
    for block in blocks:
        if block.words != first.words:
            raise InputError(
                f"{block.file} has {block.words} words, but {first.file.name} has {first.words}: "
                "all blocks need the same columns"
            )
        if block.bytes > room:
            raise InputError(
                f"{block.file} needs {block.bytes / 1e6:.0f} MB, but blocks of at most {room / 1e6:.0f} MB "
                "fit the memory given: write smaller files, or give more memory"
            )
    dtype = np.result_type(*(block.dtype for block in blocks))
    return Blocks([block.read for block in blocks], [block.documents for block in blocks], first.words, dtype)


def _describe_npz(file: Path) -> FileBlock:
    try:
        with zipfile.ZipFile(file) as archive, np.load(file) as arrays:
            (rows, columns), headers = arrays["shape"], [_header(archive.open(f"{name}.npy")) for name in CSR_FILES]
            _check_integers(*(dtype for _, dtype in headers[1:]))
    except NOT_NPZ as failure:
        raise _not_npz(file) from failure
    size = sum(count * dtype.itemsize for count, dtype in headers)
    return FileBlock(file, partial(_read_npz, file), int(rows), int(columns), headers[0][1], size)


def _read_npz(file: Path) -> Matrix:
    try:
        return scipy.sparse.load_npz(file)
    except NOT_NPZ as failure:
        raise _not_npz(file) from failure


def _not_npz(file: Path) -> InputError:
    return InputError(f"{file} is not a CSR matrix in npz form: write it with scipy.sparse.save_npz(file, X.tocsr())")


def _describe_parquet(file: Path) -> FileBlock:
    from pyarrow import ArrowInvalid, parquet

    try:
        metadata = parquet.read_metadata(file)
    except ArrowInvalid as failure:
        raise InputError(
            f"{file} is not a Parquet file: write it with DataFrame.to_parquet, a column for each word"
        ) from failure
    rows, columns = metadata.num_rows, metadata.num_columns
    return FileBlock(file, partial(_read_parquet, file), rows, columns, np.float64, rows * columns * 8)


def _read_parquet(file: Path) -> Array:
    from pyarrow import parquet

    try:
        return np.asarray(parquet.read_table(file).to_pandas(), dtype=np.float64)
    except (TypeError, ValueError):  # its text may quote a cell
        raise InputError(
            f"{file} is damaged, or has a column that is not of numbers: write it again, with a column for each word"
        ) from None
