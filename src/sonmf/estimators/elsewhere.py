"""X that scikit-learn does not know: torch tensors, and dask arrays and blocks on disk, checked when they are read."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.utils import check_array

from sonmf.engines import Blocks, library_of
from sonmf.engines.blocks import of_shape
from sonmf.kernels.structure import sound

Check = Callable[[Any], Any]


def lives(X: Any) -> bool:
    """Whether X is of a kind that is checked here."""
    return isinstance(X, Blocks) or library_of(X) in ("dask", "torch")


def checked(X: Any, check: Check) -> Any:
    """X whose blocks pass scikit-learn's checks and the method's own as they are read."""
    X = X.to_dask_array() if hasattr(X, "to_dask_array") else X  # a dask dataframe, a column for each word
    if X.ndim != 2:
        raise ValueError(f"X has {X.ndim} dimensions: give a matrix of shape (n_documents, n_words)")
    if library_of(X) == "torch":
        return check(_floating(X))
    dtype = np.dtype(np.float32 if X.dtype == np.float32 else np.float64)
    block = partial(_checked_block, check, dtype)
    return X.map(block, dtype) if isinstance(X, Blocks) else _dask(X, block, dtype)


def _dask(X: Any, block: Check, dtype: np.dtype[Any]) -> Any:
    if X.numblocks[1] > 1:
        X = X.rechunk({1: -1})  # a block holds whole documents
    if np.isnan(X.shape[0]):
        X = X.compute_chunk_sizes()
    return X.map_blocks(partial(_announced, block), dtype=dtype, meta=np.empty((0, 0), dtype))


def _announced(check: Check, block: Any, block_info: Any = None) -> Any:
    """A block of a dask array that is as large as the array says."""
    (first, last), (_, words) = block_info[0]["array-location"]
    return check(of_shape((last - first, words), block))


def _checked_block(check: Check, dtype: np.dtype[Any], block: Any) -> Any:
    name = "a block of X"
    with np.errstate(invalid="ignore"):
        X = check_array(sound(block, name), accept_sparse="csr", dtype=dtype, order="C", ensure_min_samples=0, input_name=name)
    return check(X)


def _floating(X: Any) -> Any:
    """A finite torch tensor of floating point numbers, dense or CSR."""
    import torch

    X = X.detach() if X.dtype in (torch.float32, torch.float64) else X.detach().to(torch.get_default_dtype())
    X = X if X.layout == torch.strided else _sound_tensor(X).to_sparse_csr()
    if not torch.isfinite(_stored(X)).all():
        raise ValueError("X contains NaN or infinity: remove or fill them first")
    return X


def _sound_tensor(X: Any) -> Any:
    """The same sparse tensor, after torch has looked where its indices point, which it does only where it is asked to."""
    import torch

    try:
        if X.layout == torch.sparse_coo:
            return torch.sparse_coo_tensor(X._indices(), X._values(), X.shape, check_invariants=True)
        by_rows = X.layout in (torch.sparse_csr, torch.sparse_bsr)
        indices = (X.crow_indices(), X.col_indices()) if by_rows else (X.ccol_indices(), X.row_indices())
        return torch.sparse_compressed_tensor(*indices, X.values(), X.shape, layout=X.layout, check_invariants=True)
    except RuntimeError as error:
        raise ValueError(
            f"X is no sparse tensor ({str(error).splitlines()[0]}): build it again from its entries, with check_invariants=True"
        ) from error


def _stored(X: Any) -> Any:
    return X.values() if X.is_sparse_csr else X


def ones(X: Any) -> Any:
    """A torch CSR tensor of zeros and ones."""
    stored = _stored(X)
    if ((stored != 0) & (stored != 1)).any():
        raise ValueError("X must contain only 0 and 1: binarise it first, for instance by (X > 0).float()")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Sparse CSR tensor support is in beta")
        return X.to_sparse_csr()


def beside(array: Any, X: Any) -> Any:
    """An array as a tensor where the tensor X is, or as it is where X is none."""
    if library_of(X) != "torch":
        return array
    import torch

    return torch.as_tensor(array, dtype=X.dtype, device=X.device)
