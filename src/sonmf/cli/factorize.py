"""``sonmf factorize``: a matrix in, its factors out; in memory, from disk, or on a cluster."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

import sonmf
from sonmf import files
from sonmf.cli import options
from sonmf.cli.output_files import check_target
from sonmf.cli.say import refuse, stop
from sonmf.cli.terminal import Terminal, style_text

if TYPE_CHECKING:
    from sonmf.engines.blocks import Blocks
    from sonmf.types import Matrix

METHODS = {
    "sonmf": "SONMF",
    "binary-sonmf": "BinarySONMF",
    "nmf": "NMF",
    "onmf": "ONMF",
    "semi-nmf": "SemiNMF",
    "logistic-nmf": "LogisticNMF",
}
"""The estimator of each method, by its name in the package, which imports it when it is asked for."""
ROWS = 65_536  # of G copied at a time
EXAMPLES = {
    "one matrix in memory": "sonmf factorize X.npz --method sonmf --topics 20 -o factors.npz",
    "long texts, topics to be read": "sonmf factorize X.npz --topics 20 --starts 4 --sparsity 0.05",
    "a folder of blocks larger than memory": "sonmf factorize blocks/ --memory 1GB",
    "on a dask cluster of two processes": "sonmf factorize blocks/ --workers 2",
}


def factorize(
    *,
    matrix: Annotated[
        Path, Argument(help="Documents x words: a scipy sparse .npz, a dense .npy, or a folder of .npz or .parquet blocks.")
    ],
    out: Annotated[Path, Option("-o", "--out", help="File for the factors.")] = Path("factors.npz"),
    method: Annotated[str, Option(help="sonmf, binary-sonmf, nmf, onmf, semi-nmf or logistic-nmf.")] = "sonmf",
    topics: Annotated[int, Option(min=1, help="Number of topics.")] = 10,
    starts: Annotated[
        int | None,
        Option(min=1, help="Number of starting points, for sonmf; the result is never worse than with one. (default: 1)"),
    ] = None,
    sparsity: Annotated[
        float | None,
        Option(min=0.0, help="For sonmf and long texts: 0.05 gives each document only the topics it is about. (default: 0)"),
    ] = None,
    max_iter: Annotated[
        int | None, Option(min=1, help="Largest number of iterations. (default: that of the method, 500 for sonmf)")
    ] = None,
    tol: Annotated[
        float | None,
        Option(min=0.0, help="Stop when the topics turn by less, in radians. (default: that of the method, 0.02 for sonmf)"),
    ] = None,
    memory: Annotated[str | None, Option(help="Memory that the process may use, such as 1GB; for a folder.")] = None,
    workers: Annotated[int | None, Option(min=1, help="Start a dask cluster of this many processes.")] = None,
    scheduler: Annotated[str | None, Option(help="Use the dask cluster at this address, such as tcp://host:8786.")] = None,
    seed: options.Seed = 0,
    force: options.Force = False,
) -> None:
    """Factorise a matrix, X ~ G F', with any of the methods: in memory, from disk or on a cluster."""
    import numpy as np

    console, more = Terminal(), {"n_init": starts, "sparsity": sparsity, "max_iter": max_iter, "tol": tol}
    settings = {"n_components": topics, "random_state": seed} | {
        name: value for name, value in more.items() if value is not None
    }
    refuse(method not in METHODS, f"--method {method}: choose one of {', '.join(METHODS)}")
    for option, name in {"--starts": "n_init", "--sparsity": "sparsity"}.items():
        refuse(method != "sonmf" and name in settings, f"{option} is for --method sonmf: leave it out with {method}")
    refuse(not out.name.endswith(".npz"), f"{out}: the factors are arrays: name a file that ends with .npz")
    refuse(workers and scheduler, "--workers starts a cluster here and --scheduler uses another: give one of them")
    amounts = out.with_name(f"{out.stem}-amounts.npy")
    check_target(out, force, matrix)
    check_target(amounts, force, matrix)
    model: Any = getattr(sonmf, METHODS[method])(**settings, verbose=int(console.is_terminal))
    began = time.monotonic()
    with open_matrix(matrix, memory, workers, scheduler) as X, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        G = model.fit_transform(X)
        files.replace(amounts, lambda partial: save_amounts(partial, G))
    arrays = {"components": model.components_, "objective": model.objective_history_}
    if hasattr(model, "intercept_"):
        arrays["intercept"] = model.intercept_
    files.replace(out, lambda partial: np.savez_compressed(partial, **arrays))
    size = f"{X.shape[0]:,} x {X.shape[1]:,}, {len(model.components_)} topics"
    spent = f"{model.n_iter_} iterations in {time.monotonic() - began:.1f} s"
    console.print(f"{type(model).__name__}: {size}, {spent}, objective {model.objective_history_[-1]:.5g}")
    for message in dict.fromkeys(str(warning.message) for warning in caught):
        console.print(f"note: {message}")
    console.print("components and objective in ", style_text(out, "bold"), ", amounts in ", style_text(amounts, "bold"))


@contextmanager
def open_matrix(path: Path, memory: str | None, workers: int | None, scheduler: str | None) -> Iterator[Matrix]:
    """Open X: a file in memory, a folder block by block, or a folder on the workers of a cluster."""
    from sonmf.engines.blocks import open_blocks

    refuse(not path.exists(), f"there is no file or folder {path}")
    on_disk = path.is_dir()
    refuse(
        not on_disk and (workers or scheduler or memory), f"{path} is one file: --memory and a cluster need a folder of blocks"
    )
    X = open_blocks(path, memory) if on_disk else read_matrix(path)
    if not (workers or scheduler):
        yield X
        return
    try:
        from distributed import Client

        from sonmf.engines.dask import local_client
    except ImportError:
        stop("a cluster needs the extra 'dask': python -m pip install 'sonmf[dask]'")
    try:
        client = local_client(workers) if workers else Client(scheduler, timeout=10)
    except OSError as error:
        stop(f"--scheduler {scheduler} cannot be reached ({error}): check the address, such as tcp://host:8786")
    with client:
        yield on_workers(X)


def on_workers(X: Blocks) -> Matrix:
    """A dask array whose blocks are read by the workers; they need access to the folder."""
    import dask
    import dask.array

    read = [dask.delayed(reader, pure=True)() for reader in X.readers]
    shapes = [(size, X.shape[1]) for size in X.sizes]
    return dask.array.concatenate(
        [dask.array.from_delayed(block, shape, X.dtype) for block, shape in zip(read, shapes, strict=True)]
    )


def save_amounts(path: Path, G: Matrix) -> None:
    """Save G as a .npy file, part by part: it has as many rows as X, and may be on the workers."""
    import numpy as np

    header = np.lib.format.header_data_from_array_1_0(np.empty(0, G.dtype)) | {"shape": tuple(map(int, G.shape))}
    starts = np.cumsum([0, *G.chunks[0]]) if hasattr(G, "chunks") else np.append(np.arange(0, len(G), ROWS), len(G))
    with path.open("wb") as file:  # not mapped: a full disk would end the process without a word
        np.lib.format.write_array_header_2_0(file, header)
        for a, b in pairwise(starts):
            file.write(np.ascontiguousarray(G[a:b]).data)


def read_matrix(path: Path) -> Matrix:
    """A sparse .npz as scipy saves it, or a dense .npy."""
    import numpy as np
    import scipy.sparse

    from sonmf.engines.blocks import NOT_NPZ
    from sonmf.kernels.structure import check_sparse

    refuse(path.suffix not in (".npz", ".npy"), f"{path}: give a sparse matrix saved by scipy.sparse.save_npz, or a .npy array")
    try:
        X = scipy.sparse.load_npz(path) if path.suffix == ".npz" else np.load(path, allow_pickle=False)
    except (*NOT_NPZ, EOFError, AttributeError, NotImplementedError) as error:
        stop(f"{path} cannot be read as a matrix ({error}): save it with scipy.sparse.save_npz or numpy.save")
    refuse(not hasattr(X, "dtype"), f"{path} holds several arrays: save a sparse matrix as .npz, a dense one as .npy")
    X = check_sparse(X, str(path))
    return X.astype(np.float64) if X.dtype.kind in "iub" else X
