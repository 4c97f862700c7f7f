"""The one place that looks at types: an entry for each kind of X, from which its kernels, its check and its engine follow.

What an entry names is imported when an X of its kind comes, and not before: torch and dask are optional.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from pkgutil import resolve_name
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse


class Kind(NamedTuple):
    """How one kind of X is told, and what serves it, each by its name ``module`` or ``module:object``."""

    name: str
    """What people call it, in the plural."""
    holds: Callable[[Any], bool]
    """Whether an X is of this kind."""
    engine: str
    """Makes the engine of an X (``engines.door``)."""
    check: str
    """Answers what estimators ask about an X (``estimators.check``)."""
    products: str = ""
    """The functions that ``kernels`` calls on a block. An X made of blocks of other kinds has no kernels of its own."""
    alternating: str = ""
    """``alternate``, ``assign`` and ``solve`` of ``kernels``; that module itself where ``project`` returns numpy arrays."""
    bernoulli: str = ""
    """The kernels declared in ``kernels.bernoulli``."""
    codes: str = "sonmf.kernels"
    """``project``, ``clip``, ``explained``, ``observed`` and ``completed`` of ``kernels``; itself where no entry is missing."""
    remedy: str = "give a numpy array or a scipy CSR matrix"
    """What to do where a method has no kernels for this kind."""


def _named(*names: str) -> Callable[[Any], bool]:
    """Whether the class of X, or one it inherits from, has a full name that begins so; its package need not be there."""
    return lambda X: any(f"{c.__module__}.{c.__qualname__}".startswith(names) for c in type(X).__mro__)


DENSE = Kind(
    "numpy arrays",
    lambda X: isinstance(X, np.ndarray),
    engine="sonmf.engines.memory:MemoryEngine",
    check="sonmf.estimators.arrays:Dense",
    products="sonmf.kernels.dense",
    alternating="sonmf.kernels",
    bernoulli="sonmf.kernels.bernoulli",  # its check makes a CSR matrix of it
)
CSR = Kind(
    "scipy CSR matrices",
    lambda X: scipy.sparse.issparse(X) and X.format == "csr",
    engine="sonmf.engines.memory:MemoryEngine",
    check="sonmf.estimators.arrays:Sparse",
    products="sonmf.kernels.csr",
    alternating="sonmf.kernels",
    bernoulli="sonmf.kernels.bernoulli",
)
INCOMPLETE = Kind(
    "numpy arrays with missing entries",
    _named("sonmf.kernels.incomplete.Incomplete"),
    engine="sonmf.engines.memory:IncompleteEngine",
    check="sonmf.estimators.arrays:Gaps",
    products="sonmf.kernels.incomplete",
    codes="sonmf.kernels.incomplete_codes",
    remedy="fill in what is missing, or use SONMF",
)
TORCH = Kind(
    "torch tensors",
    _named("torch."),
    engine="sonmf.engines.gpu:GpuEngine",
    check="sonmf.estimators.tensors:Tensor",
    products="sonmf.kernels.torch",
    bernoulli="sonmf.kernels.torch_bernoulli",
    remedy="give X.cpu().numpy(), or use SONMF or BinarySONMF",
)
DASK = Kind(
    "dask collections",
    _named("dask.", "dask_expr."),
    engine="sonmf.engines:dask_engine",
    check="sonmf.estimators.in_blocks:Dask",
)
BLOCKS = Kind(
    "blocks",
    _named("sonmf.engines.blocks.Blocks"),
    engine="sonmf.engines.stream:StreamEngine",
    check="sonmf.estimators.in_blocks:OnDisk",
)
KINDS = [DENSE, CSR, INCOMPLETE, TORCH, DASK, BLOCKS]


def of(X: Any) -> Kind:
    """The kind of X; what is of none may be something that scikit-learn makes a numpy array of."""
    return next((kind for kind in KINDS if kind.holds(X)), DENSE)


load: Callable[[str], Any] = cache(resolve_name)
"""What an entry names."""


def kernels_for(family: str, X: Any) -> str:
    """The name of the module with the kernels of this family for a block X."""
    kind = of(X)
    if not (module := kind.holds(X) and getattr(kind, family)):
        raise TypeError(f"no kernels for a block of type {type(X).__name__}: give a numpy array or a scipy CSR matrix")
    return str(module)


def by_kind(family: str, at: int = 0) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A kernel that is the function of the same name in the module for its block, which is argument number ``at``.

    The function itself is the kernel of those kinds whose entry names its module.
    """

    def decorate(kernel: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(kernel)
        def chosen(*arguments: Any) -> Any:
            module = kernels_for(family, arguments[at])
            own = kernel if module == kernel.__module__ else getattr(load(module), kernel.__name__)
            return own(*arguments)

        return chosen

    return decorate
