"""Sparse matrices whose indices point outside them: refused in a sentence, and nothing is read outside an array."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse

from sonmf import NMF, ONMF, SONMF, BinarySONMF, LogisticNMF, SemiNMF, metrics
from sonmf.engines.blocks import Blocks, open_blocks, save_csr
from torture.isolated import isolated
from torture.outcome import Outcome, counted

ESTIMATORS = {make.__name__: make for make in (SONMF, NMF, ONMF, SemiNMF, BinarySONMF, LogisticNMF)}
FORMATS = ("csr_matrix", "csr_array", "csc_array", "bsr_array", "coo_array")
MATRICES = 12  # drawn for a scale of 1, each with every flaw


class Case(NamedTuple):
    flaw: str
    form: str
    estimator: str
    use: str
    seed: int


def index(value: int, dtype: Any = np.int32) -> Callable[[Any, Any], None]:
    """An index becomes this, counted from the number of columns where it is not negative."""

    def spoil(X: Any, random: np.random.Generator) -> None:
        for indices, size in minor_indices(X):
            wide = indices.astype(dtype)
            wide[random.integers(len(wide))] = value + (size if value >= 0 else 0)
            replace_indices(X, wide)
            return

    return spoil


def minor_indices(X: Any) -> Iterator[tuple[Any, int]]:
    """The indices that can point outside, and the first that does."""
    if X.format == "coo":
        yield X.coords[1], X.shape[1]
    elif X.format == "bsr":
        yield X.indices, X.shape[1] // X.blocksize[1]
    else:
        yield X.indices, X.shape[1 if X.format == "csr" else 0]


def replace_indices(X: Any, indices: Any) -> None:
    if X.format == "coo":
        X.coords = (X.coords[0], indices)
    else:
        X.indices = indices


def pointer(change: Callable[[Any], Any]) -> Callable[[Any, Any], None]:
    """The row pointer becomes another; in coordinates, which have none, the rows do."""

    def spoil(X: Any, random: np.random.Generator) -> None:
        if X.format == "coo":
            X.coords = (change(X.coords[0].copy()), X.coords[1])
        else:
            X.indptr = change(X.indptr.copy())

    return spoil


def put(place: int, value: int, dtype: Any = None) -> Callable[[Any], Any]:
    def change(array: Any) -> Any:
        array = array.astype(dtype or array.dtype)
        array[place] = value
        return array

    return change


def fewer_indices(X: Any, random: np.random.Generator) -> None:
    replace_indices(X, next(minor_indices(X))[0][:-2].copy())


def fewer_data(X: Any, random: np.random.Generator) -> None:
    X.data = X.data[:-2].copy()


def floating_indices(X: Any, random: np.random.Generator) -> None:
    replace_indices(X, next(minor_indices(X))[0] + 0.5)


FLAWS: dict[str, Callable[[Any, Any], None]] = {
    "index just outside": index(0),
    "index far outside": index(10**6),
    "index 2**31 - 1": index(2**31 - 200),
    "index 2**40": index(2**40, np.int64),
    "index -1": index(-1),
    "index -3": index(-3),
    "index -2**31": index(-(2**31)),
    "pointer beyond the end": pointer(put(-1, 10**6)),
    "pointer negative": pointer(put(2, -5)),
    "pointer that falls": pointer(put(2, 10**5)),
    "pointer 2**62": pointer(put(3, 2**62, np.int64)),
    "pointer starts at -7": pointer(put(0, -7)),
    "too few indices": fewer_indices,
    "too few numbers": fewer_data,
    "indices are not whole": floating_indices,
}
USES = ("fit", "transform", "score", "partial_fit", "metrics", "npz", "blocks", "folder", "another width")


def drawn(form: str, random: np.random.Generator) -> Any:
    n, p = (int(side) for side in 2 * random.integers(4, 20, 2))
    dense = (random.random((n, p)) < 0.5).astype(float)
    dense[0] = dense[:, 0] = 1
    return getattr(scipy.sparse, form)(dense)


def use(case: Case, X: Any, bad: Any) -> None:
    """Give the broken matrix to one of the doors."""
    model: Any = ESTIMATORS[case.estimator](2, max_iter=3, random_state=0)
    if case.use == "fit":
        model.fit(bad)
    elif case.use in ("transform", "score", "partial_fit"):
        getattr(model.fit(X), case.use)(bad)
    elif case.use == "metrics":
        metrics.average_residual(bad, np.ones((X.shape[0], 2)), np.ones((2, X.shape[1])))
    elif case.use == "blocks":
        model.fit(Blocks([lambda: X, lambda: bad], [X.shape[0]] * 2, X.shape[1], float))
    elif case.use == "another width":
        narrower = Blocks([lambda: X, lambda: X[1:, 1:]], [X.shape[0]] * 2, X.shape[1] - 3, float)
        model.fit(narrower)
    else:
        with tempfile.TemporaryDirectory() as folder:
            _on_disk(case, Path(folder), bad)
            model.fit(open_blocks(folder))


def _on_disk(case: Case, folder: Path, bad: Any) -> None:
    parts = {name: getattr(bad, name) for name in ("data", "indices", "indptr")}
    if case.use == "npz":
        np.savez(folder / "a.npz", format=b"csr", shape=bad.shape, **parts)
    else:
        save_csr(folder, scipy.sparse.csr_array((3, 3)))
        for name, array in (parts | {"shape": np.array(bad.shape)}).items():
            np.save(folder / f"{name}.npy", array)


def trial(case: Case) -> str:
    """What is wrong with what a broken matrix led to."""
    random = np.random.default_rng(case.seed)
    X = drawn(case.form, random)
    bad = X.copy()
    FLAWS[case.flaw](bad, random)
    try:
        use(case, X.tocsr(), bad)
    except ValueError as refusal:
        said = str(refusal)
        return "" if 20 < len(said) < 400 and "\n" not in said else f"unreadable refusal {said[:60]!r}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "accepted"


def applies(case: Case) -> bool:
    """Rows by coordinates have only two flaws, partial_fit one estimator, files and metrics one of each."""
    if (
        case.form == "coo_array"
        and case.flaw.startswith("pointer")
        and "negative" not in case.flaw
        and "beyond" not in case.flaw
    ):
        return False
    if case.use in ("npz", "folder", "another width") and case.form != "csr_array":
        return False
    if case.use == "another width":
        return case.flaw == "index just outside"
    return case.use in ("fit", "transform", "score", "blocks") or case.estimator == "SONMF"


def attack(scale: float, seed: int) -> Outcome:
    """Every flaw x format x estimator x door that has it, or a share of them."""
    every = [Case(*names, 0) for names in itertools.product(FLAWS, FORMATS, ESTIMATORS, USES)]
    every = [case for case in every if applies(case)]
    random = np.random.default_rng(seed)
    count = max(1, round(MATRICES * scale * len(every)))
    chosen = [
        every[i]._replace(seed=int(random.integers(2**32)))
        for i in random.permutation(max(count, len(every)))[:count] % len(every)
    ]
    faults = zip(chosen, isolated(trial, chosen), strict=True)
    return counted(f"{case.flaw}, {case.form}, {case.use}: {fault}" if fault else "" for case, fault in faults)
