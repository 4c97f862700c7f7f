"""The one place that looks at types: an entry for each kind of X names its kernels, its checks and its engine.

The modules that an entry names are imported only when an X of its kind arrives, because torch and dask are optional.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from pkgutil import resolve_name
from typing import Any, NamedTuple, ParamSpec, TypeVar

import numpy as np
import scipy.sparse

from sonmf.types import Matrix

P = ParamSpec("P")
Result = TypeVar("Result")


class Kind(NamedTuple):
    """How to recognise one kind of X, and what serves it, each as ``module`` or ``module:object``."""

    name: str
    """What people call this kind, in the plural."""
    holds: Callable[[type], bool]
    """Whether every X of this class is of this kind."""
    engine: str
    """Makes the engine of an X (``engines.Engine``)."""
    input: str
    """Answers what estimators ask about an X (``estimators.matrix_inputs``)."""
    products: str = ""
    """The functions that ``kernels`` calls on a block. An X made up of blocks of other kinds has no kernels of its own."""
    alternating: str = ""
    """``alternate``, ``assign`` and ``solve``; ``sonmf.kernels`` itself if ``project`` returns numpy arrays."""
    bernoulli: str = ""
    """The kernels declared in ``kernels.bernoulli``."""
    codes: str = "sonmf.kernels"
    """``project``, ``clip``, ``explained``, ``count_observed``, ``fill_missing``; ``sonmf.kernels`` if no entry is missing."""
    remedy: str = "give a numpy array or a scipy CSR matrix"
    """What to do if a method has no kernels for this kind."""


def _named(*names: str) -> Callable[[type], bool]:
    """Whether the full name of a class, or of a base class, begins so. Its package need not be installed."""
    return lambda class_of_X: any(f"{c.__module__}.{c.__qualname__}".startswith(names) for c in class_of_X.__mro__)


DENSE = Kind(
    "numpy arrays",
    lambda class_of_X: issubclass(class_of_X, np.ndarray),
    engine="sonmf.engines:MemoryEngine",
    input="sonmf.estimators.matrix_inputs:DenseInput",
    products="sonmf.kernels.dense",
    alternating="sonmf.kernels",
    bernoulli="sonmf.kernels.bernoulli",  # ``ones`` makes a CSR matrix of it
)
CSR = Kind(
    "scipy CSR matrices",
    lambda class_of_X: issubclass(class_of_X, (scipy.sparse.csr_array, scipy.sparse.csr_matrix)),
    engine="sonmf.engines:MemoryEngine",
    input="sonmf.estimators.matrix_inputs:SparseInput",
    products="sonmf.kernels.csr",
    alternating="sonmf.kernels",
    bernoulli="sonmf.kernels.bernoulli",
)
INCOMPLETE = Kind(
    "numpy arrays with missing entries",
    _named("sonmf.kernels.incomplete.Incomplete"),
    engine="sonmf.engines:IncompleteEngine",
    input="sonmf.estimators.matrix_inputs:IncompleteInput",
    products="sonmf.kernels.incomplete",
    codes="sonmf.kernels.incomplete",
    remedy="fill in what is missing, or use SONMF",
)
BINARY = Kind(
    "0/1 documents with missing entries or weights",
    _named("sonmf.kernels.binary_documents.BinaryDocuments"),
    engine="sonmf.engines:IncompleteEngine",
    input="sonmf.estimators.matrix_inputs:BinaryInput",
    products="sonmf.kernels.binary_documents",
    bernoulli="sonmf.kernels.bernoulli",
)
TORCH = Kind(
    "torch tensors",
    _named("torch."),
    engine="sonmf.engines.gpu:GpuEngine",
    input="sonmf.estimators.tensor_inputs:TensorInput",
    products="sonmf.kernels.torch",
    bernoulli="sonmf.kernels.torch_bernoulli",
    remedy="give X.cpu().numpy(), or use SONMF or BinarySONMF",
)
DASK = Kind(
    "dask collections",
    _named("dask.", "dask_expr."),
    engine="sonmf.engines:dask_engine",
    input="sonmf.estimators.matrix_inputs:DaskInput",
)
BLOCKS = Kind(
    "blocks",
    _named("sonmf.engines.blocks.Blocks"),
    engine="sonmf.engines.stream:StreamEngine",
    input="sonmf.estimators.matrix_inputs:BlocksInput",
)
KINDS = [DENSE, CSR, INCOMPLETE, BINARY, TORCH, DASK, BLOCKS]


@cache
def of_class(class_of_X: type) -> Kind | None:
    """The kind of every X of a class, looked up once for each class; None if it is unknown."""
    return next((kind for kind in KINDS if kind.holds(class_of_X)), None)


def of(X: Matrix) -> Kind:
    """The kind of X. Anything unknown is taken for dense: scikit-learn may be able to convert it."""
    return of_class(X.__class__) or DENSE


load: Callable[[str], Any] = cache(resolve_name)
"""What an entry names."""


def kernels_for(family: str, X: Matrix) -> str:
    """The name of the module with the kernels of this family for a block X."""
    if not (module := getattr(of_class(X.__class__), family, "")):
        raise TypeError(f"no kernels for a block of type {type(X).__name__}: give a numpy array or a scipy CSR matrix")
    return str(module)


def by_kind(family: str, at: int = 0) -> Callable[[Callable[P, Result]], Callable[P, Result]]:
    """Make a kernel call the function of the same name in the module for its block, which is argument number ``at``.

    The decorated function itself serves the kinds whose entry names its module.
    """

    def decorate(kernel: Callable[P, Result]) -> Callable[P, Result]:
        @wraps(kernel)
        def chosen(*arguments: P.args, **options: P.kwargs) -> Result:
            module = kernels_for(family, arguments[at])
            own: Callable[P, Result] = kernel
            if module != kernel.__module__:
                own = getattr(load(module), kernel.__name__)
            return own(*arguments, **options)

        return chosen

    return decorate
