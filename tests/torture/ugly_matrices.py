"""Ugly but legal matrices x six estimators x five methods: finite results that obey the laws, or a ValueError in a sentence."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.exceptions import ConvergenceWarning

from sonmf import NMF, ONMF, SONMF, BinarySONMF, LogisticNMF, SemiNMF, stiefel
from sonmf.errors import InputError
from torture.outcome import Outcome, counted

Matrix = Any
ESTIMATORS = [SONMF, NMF, ONMF, SemiNMF, BinarySONMF, LogisticNMF]
BINARY = (BinarySONMF, LogisticNMF)
PAIRS = 1500  # of a content and a storage for a scale of 1, each tried with every estimator


def drawn(random: np.random.Generator) -> Matrix:
    """A non-negative matrix with zeros, taller or wider."""
    n, p = random.integers(4, 24, 2)
    return np.round(random.gamma(1.0, size=(n, p)), 3) * (random.random((n, p)) < 0.6)


def tiny_column(X: Matrix) -> Matrix:
    return np.column_stack([X * 1e-30, X[:, 0] * 1e30])


CONTENTS: dict[str, Callable[[Matrix], Matrix]] = {
    "plain": lambda X: X,
    "of both signs": lambda X: X - X.mean(),
    "float32": lambda X: X.astype(np.float32),
    "float32 x 1e12": lambda X: (X * 1e12).astype(np.float32),
    "float32 x 1e18": lambda X: (X * 1e18).astype(np.float32),
    "float32 x 1e30": lambda X: (X * 1e30).astype(np.float32),
    "float32 near its largest": lambda X: (X / max(X.max(), 1) * 3e38).astype(np.float32),
    "float32 x 1e-18": lambda X: (X * 1e-18).astype(np.float32),
    "float32 x 1e-30": lambda X: (X * 1e-30).astype(np.float32),
    "float32 denormal": lambda X: (X * 1e-42).astype(np.float32),
    "x 1e-5": lambda X: X * 1e-5,
    "x 1e10": lambda X: X * 1e10,
    "x 1e100": lambda X: X * 1e100,
    "x 1e160": lambda X: X * 1e160,
    "x 1e300": lambda X: X * 1e300,
    "x 1e-100": lambda X: X * 1e-100,
    "x 1e-170": lambda X: X * 1e-170,
    "denormal": lambda X: X * 1e-310,
    "huge and tiny columns": tiny_column,
    "float32 huge and tiny columns": lambda X: tiny_column(X).astype(np.float32),
    "one huge entry": lambda X: np.where(X.max() <= X, 1e19, X),
    "float32 one huge entry": lambda X: np.where(X.max() <= X, 1e19, X).astype(np.float32),
    "zeros": lambda X: 0 * X,
    "float32 zeros": lambda X: 0 * X.astype(np.float32),
    "minus zeros": lambda X: -0.0 * X,
    "ones": lambda X: np.ones_like(X),
    "constant rows": lambda X: np.repeat(X[:, :1], X.shape[1], axis=1),
    "one row": lambda X: X[:1],
    "one column": lambda X: X[:, :1],
    "one entry": lambda X: X[:1, :1] + 1,
    "duplicated rows": lambda X: np.repeat(X[:2], 5, axis=0),
    "rank one": lambda X: np.outer(X[:, 0], X[0]),
    "float16": lambda X: X.astype(np.float16),
    "longdouble": lambda X: X.astype(np.longdouble),
    "big-endian": lambda X: X.astype(">f8"),
    "big-endian float32": lambda X: X.astype(">f4"),
    "int8": lambda X: X.astype(np.int8),
    "int64": lambda X: X.astype(np.int64),
    "uint64 at its largest": lambda X: np.where(X > 0, 2**64 - 1, 0).astype(np.uint64),
    "bool": lambda X: X > 0,
    "0 and 1": lambda X: (X > 0).astype(float),
    "0 and 1, float32": lambda X: (X > 0).astype(np.float32),
    "0 and 1, a word in every document": lambda X: np.column_stack([X > 0, np.ones(len(X))]).astype(float),
    "object": lambda X: X.astype(object),
    "NaN": lambda X: with_value(X, np.nan),
    "signalling NaN": lambda X: with_value(X, np.uint64(0x7FF0000000000001).view(np.float64)),
    "NaN with a payload, float32": lambda X: with_value(X.astype(np.float32), np.uint32(0xFFC0BEEF).view(np.float32)),
    "infinity": lambda X: with_value(X, -np.inf),
    "no rows": lambda X: X[:0],
    "no columns": lambda X: X[:, :0],
}


def with_value(X: Matrix, value: Any) -> Matrix:
    X = X.copy()
    X[-1, -1] = value
    return X


def strided(X: Matrix) -> Matrix:
    return np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3]


def backwards(X: Matrix) -> Matrix:
    return np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1]


def read_only(X: Matrix) -> Matrix:
    X = np.ascontiguousarray(X)
    X.flags.writeable = False
    return X


def sparse(make: Callable[..., Matrix]) -> Callable[[Matrix], Matrix]:
    return lambda X: make(X if X.dtype.kind != "O" and X.dtype.itemsize <= 8 else X.astype(float))


def explicit_zeros(X: Matrix) -> Matrix:
    n, p = X.shape
    entries = np.asarray(X, float if X.dtype.kind == "O" else X.dtype).ravel()
    return scipy.sparse.csr_array((entries, np.tile(np.arange(p), n), np.arange(n + 1) * p), shape=(n, p))


def unsorted(X: Matrix) -> Matrix:
    S = sparse(scipy.sparse.csr_array)(X)
    order = np.concatenate([np.arange(a, b)[::-1] for a, b in itertools.pairwise(S.indptr)] or [[]]).astype(int)
    return scipy.sparse.csr_array((S.data[order], S.indices[order], S.indptr), shape=S.shape)


def duplicates(X: Matrix) -> Matrix:
    """Every entry stored twice, once as it is and once as zero: their sum is the matrix."""
    S = sparse(scipy.sparse.coo_array)(X)
    data, row, col = np.concatenate([S.data, 0 * S.data]), np.tile(S.row, 2), np.tile(S.col, 2)
    if not np.isfinite(data.astype(float)).all():
        return S
    order = np.argsort(row, kind="stable")
    indptr = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=X.shape[0]))])
    return scipy.sparse.csr_array((data[order], col[order], indptr), shape=X.shape)


def slack(X: Matrix) -> Matrix:
    """Arrays longer than the row pointer says, with something in the part that does not count."""
    S = sparse(scipy.sparse.csr_array)(X)
    S.data = np.append(S.data, np.full(3, 7, S.data.dtype))  # a list would make float64 of uint64
    S.indices = np.append(S.indices, np.zeros(3, S.indices.dtype))
    return S


def wide_indices(X: Matrix) -> Matrix:
    S = sparse(scipy.sparse.csr_matrix)(X)
    S.indices, S.indptr = S.indices.astype(np.int64), S.indptr.astype(np.int64)
    return S


def mixed_indices(X: Matrix) -> Matrix:
    S = sparse(scipy.sparse.csr_array)(X)
    S.indices, S.indptr = S.indices.astype(np.int32), S.indptr.astype(np.int64)
    return S


def read_only_sparse(X: Matrix) -> Matrix:
    S = sparse(scipy.sparse.csr_array)(X)
    for part in (S.data, S.indices, S.indptr):
        part.flags.writeable = False
    return S


STORAGES: dict[str, Callable[[Matrix], Matrix]] = {
    "as it is": lambda X: X,
    "Fortran order": np.asfortranarray,
    "strided": strided,
    "backwards": backwards,
    "read-only": read_only,
    "list": lambda X: X.tolist(),
    "csr_matrix": sparse(scipy.sparse.csr_matrix),
    "csr_array": sparse(scipy.sparse.csr_array),
    "csc_array": sparse(scipy.sparse.csc_array),
    "coo_matrix": sparse(scipy.sparse.coo_matrix),
    "coo_array": sparse(scipy.sparse.coo_array),
    "bsr_array": sparse(scipy.sparse.bsr_array),
    "dia_array": sparse(scipy.sparse.dia_array),
    "dok_array": sparse(scipy.sparse.dok_array),
    "lil_matrix": sparse(scipy.sparse.lil_matrix),
    "explicit zeros": explicit_zeros,
    "unsorted": unsorted,
    "duplicates": duplicates,
    "slack": slack,
    "int64 indices": wide_indices,
    "mixed indices": mixed_indices,
    "read-only csr": read_only_sparse,
}


# ---- what must hold ----


def faults(make: Any, X: Matrix, stored: Matrix) -> Iterator[str]:
    """One for each of fit, transform, fit_transform, inverse_transform and score; empty where it held."""
    k = min(2, *X.shape) or 1
    new: Callable[[], Any] = lambda: make(k, max_iter=12, random_state=0)  # noqa: E731
    model = new()
    yield (broken := judged("fit", lambda: model.fit(stored), lambda _: law_of_fit(model), X))
    if not hasattr(model, "components_"):
        return
    found: list[Any] = []
    yield judged("transform", lambda: found.append(model.transform(stored)), lambda _: law_of_codes(make, found[0]), X)
    yield judged("fit_transform", lambda: new().fit_transform(stored), lambda G: same_codes(model, X, G, found), X)
    yield judged("score", lambda: model.score(stored), lambda value: law_of_score(model, X, value, found), X)
    if found and not broken:
        yield judged("inverse_transform", lambda: model.inverse_transform(found[0]), lambda Y: law_of_words(Y, X), X)


def judged(name: str, work: Callable[[], Any], law: Callable[[Any], str], X: Matrix) -> str:
    """What is wrong with this call; a refusal is right where it says in a sentence what is wrong with X."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            result = work()
        except ValueError as refusal:
            wrong = unreadable(refusal, X)
        except Exception as error:  # a warning, or worse
            wrong = f"{type(error).__name__}: {error}"
        else:
            with np.errstate(all="ignore"):
                wrong = law(result)
    return f"{name}: {wrong}" if wrong else ""


def unreadable(refusal: ValueError, X: Matrix) -> str:
    """What is wrong with a refusal."""
    said = str(refusal)
    if type(refusal) is not ValueError and not isinstance(refusal, InputError):  # scikit-learn refuses some itself
        return f"{type(refusal).__name__}: {said}"
    finite = bool(np.isfinite(X.astype(float)).all())
    if finite and ("NaN" in said or "infinity" in said or "infs" in said):
        return f"a finite matrix is refused by {said[:60]!r}"
    return "" if 10 < len(said) < 500 else f"a refusal of {len(said)} characters"


def law_of_fit(model: Any) -> str:
    F = np.asarray(model.components_)
    if not np.isfinite(F).all() or not np.isfinite(model.objective_history_).all():
        return "not finite"
    if isinstance(model, SONMF | BinarySONMF) and stiefel.residual(F.T) > (1e-24 if F.dtype == np.float64 else 1e-10):
        return "topics are not orthonormal"
    if isinstance(model, NMF | ONMF | LogisticNMF) and F.min() < 0:
        return "a negative topic"
    history = model.objective_history_
    if isinstance(model, SONMF | BinarySONMF) and (np.diff(history) > 1e-6 * np.abs(history).max()).any():
        return "the objective rises"
    error = getattr(model, "reconstruction_err_", 0.0)
    return "" if np.isfinite(error) else "reconstruction_err_ is not finite"


def law_of_codes(make: Any, G: Any) -> str:
    if not np.isfinite(G).all():
        return "not finite"
    return "a negative amount" if make is not LogisticNMF and G.min(initial=0.0) < 0 else ""


def same_codes(model: Any, X: Matrix, G: Any, found: list[Any]) -> str:
    if wrong := law_of_codes(type(model), G):
        return wrong
    if not found:
        return ""
    size = max(float(np.abs(found[0]).max(initial=0.0)), 1.0 if isinstance(model, BINARY) else np.finfo(float).tiny)
    near = 1e-4 if found[0].dtype == np.float64 else 2e-2
    return "" if np.allclose(G / size, found[0] / size, rtol=0, atol=near) else "differs from fit then transform"


def law_of_score(model: Any, X: Matrix, score: float, found: list[Any]) -> str:
    if not np.isfinite(score):
        return "not finite"
    if isinstance(model, BINARY) or not found:
        return ""
    if score > 1 + 1e-6:
        return "above 1"
    return "" if abs(score - naive_score(model, X, found[0])) < 1e-3 else "is not the share explained"


def naive_score(model: Any, X: Matrix, G: Any) -> float:
    """1 - ||X - GF'||^2 / ||X||^2 over what was observed, in extended precision, whose range no square here leaves."""
    X, G, F = (np.asarray(A, np.longdouble) for A in (X, G, model.components_))
    size = np.nansum(X**2)
    return float(1 - np.nansum((X - G @ F) ** 2) / size) if size > 0 else 1.0


def law_of_words(Y: Any, X: Matrix) -> str:
    return "" if np.isfinite(Y).all() and Y.shape == X.shape else "not finite"


# ---- the attack ----


def attack(scale: float, seed: int) -> Outcome:
    """Every content in turn, and every storage in turn, so that they meet in ever new pairs; each with a new matrix."""
    return counted(trials(max(1, round(PAIRS * scale)), seed))


def trials(pairs: int, seed: int) -> Iterator[str]:
    random = np.random.default_rng(seed)
    contents, storages = (itertools.cycle(random.permutation(list(names))) for names in (CONTENTS, STORAGES))
    for _ in range(pairs):
        yield from tried(drawn(random), next(contents), next(storages))


def tried(X: Matrix, content: str, storage: str) -> Iterator[str]:
    with np.errstate(all="ignore"):
        ugly = CONTENTS[content](X)
        try:
            stored = STORAGES[storage](ugly)
        except (ValueError, TypeError, NotImplementedError):  # scipy has no such matrix
            return
    for make in ESTIMATORS:
        for fault in faults(make, ugly, stored):
            yield f"{make.__name__}, {content}, {storage}: {fault}" if fault else ""
