"""``sonmf factorize``: a bare matrix in, its factors out."""

from __future__ import annotations

import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse
from rich.console import Console

from sonmf import estimators, files
from sonmf.cli.say import check_target, refuse

METHODS = {
    "sonmf": estimators.SONMF,
    "binary-sonmf": estimators.BinarySONMF,
    "nmf": estimators.NMF,
    "onmf": estimators.ONMF,
    "semi-nmf": estimators.SemiNMF,
    "logistic-nmf": estimators.LogisticNMF,
}


def run(path: Path, method: str, topics: int, max_iter: int, tol: float, seed: int, out: Path, *, force: bool) -> None:
    console = Console()
    refuse(method not in METHODS, f"--method {method}: there are {', '.join(METHODS)}")
    refuse(not out.name.endswith(".npz"), f"{out}: the factors are arrays, name a file that ends with .npz")
    check_target(out, force)
    X = read_matrix(path)
    model: Any = METHODS[method](topics, max_iter=max_iter, tol=tol, random_state=seed, verbose=int(console.is_terminal))
    began = time.monotonic()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        G = model.fit_transform(X)
    arrays = {"components": model.components_, "amounts": G, "objective": model.objective_history_}
    if hasattr(model, "intercept_"):
        arrays["intercept"] = model.intercept_
    files.replace(out, lambda partial: np.savez_compressed(partial, **arrays))
    size = f"{X.shape[0]:,} x {X.shape[1]:,}"
    fit = (
        f"mean cost {model.mean_cost_:.4g}" if hasattr(model, "mean_cost_") else f"residual {_relative(model, X):.4f} of ||X||"
    )
    console.print(
        f"{type(model).__name__}: {size}, {topics} topics, {model.n_iter_} iterations, {time.monotonic() - began:.1f} s, {fit}",
        highlight=False,
    )
    for warning in caught:
        console.print(f"note: {warning.message}", highlight=False, markup=False)
    console.print(f"components, amounts, objective in [bold]{out}[/bold]", highlight=False)


def _relative(model: Any, X: Any) -> float:
    norm = scipy.sparse.linalg.norm(X) if scipy.sparse.issparse(X) else np.linalg.norm(X)
    return float(model.reconstruction_err_ / norm)


def read_matrix(path: Path) -> Any:
    """A sparse .npz as scipy saves it, or a dense .npy."""
    refuse(not path.exists(), f"there is no file {path}")
    refuse(path.suffix not in (".npz", ".npy"), f"{path}: give a sparse matrix saved by scipy.sparse.save_npz, or a .npy array")
    try:
        X = scipy.sparse.load_npz(path) if path.suffix == ".npz" else np.load(path, allow_pickle=False)
    except (OSError, ValueError, KeyError, EOFError) as error:
        refuse(True, f"{path} cannot be read as a matrix ({error}): save it with scipy.sparse.save_npz or numpy.save")
    return X.astype(np.float64) if X.dtype.kind not in "f" else X
