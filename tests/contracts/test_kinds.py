"""A kind of X is one entry: what it names is there, and a new one needs nothing else."""

from __future__ import annotations

import inspect
import re

import numpy as np
import pytest
import scipy.sparse
from sklearn.base import clone

from sonmf import NMF, SONMF, BinarySONMF, SemiNMF, kernels, simulate
from sonmf.device_arrays import add_up
from sonmf.engines import Engine
from sonmf.estimators.matrix_inputs import Input
from sonmf.kernels import bernoulli, kinds

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

# ---- a new kind of X: a list of rows, half of them in one place and half in another ----


class Rows:
    def __init__(self, rows):
        self.rows, self.shape, self.dtype = list(rows), (len(rows), len(rows[0])), rows[0].dtype

    def __mul__(self, factor):
        return Rows([row * factor for row in self.rows])


class Products:
    @staticmethod
    def product(X, F):
        return np.array([row @ F for row in X.rows])

    @staticmethod
    def back(X, G):
        return sum(np.outer(row, g) for row, g in zip(X.rows, G, strict=True))

    @staticmethod
    def ascent(X, F, threshold):
        G = (Products.product(X, F) - threshold).clip(0)
        return Products.back(X, G), float(np.sum(G**2))

    @staticmethod
    def normal(X, F):
        return Products.back(X, Products.product(X, F))

    @staticmethod
    def sign_energies(X, F, shift):
        G = Products.product(X, F) - shift
        return np.sum(G.clip(0) ** 2, axis=0), np.sum(G.clip(max=0) ** 2, axis=0)

    @staticmethod
    def square(X):
        return sum(float(row @ row) for row in X.rows)

    @staticmethod
    def column_sums(X):
        return sum(X.rows)


class Halves(Engine):
    def __init__(self, X):
        self.X, self.shape, self.dtype, self.passes = X, X.shape, X.dtype, 0
        self.cut = X.shape[0] // 2
        self.halves = [Rows(X.rows[: self.cut]), Rows(X.rows[self.cut :])]

    def sweep(self, kernel, local, *shared):
        self.passes += 1
        results = [kernel(half, state, *shared) for half, state in zip(self.halves, local or [None, None], strict=True)]
        return [state for state, _ in results], add_up([sums for _, sums in results])

    def each(self, function, *local):
        return [function(*states) for states in zip(*local, strict=True)]

    def place(self, array):
        return [array[: self.cut], array[self.cut :]]

    def gather(self, local):
        return np.concatenate(local)

    def documents(self, rows):
        return np.array([self.X.rows[row] for row in rows])


class RowsInput(Input):
    def checked(self, check, **options):
        if not all(np.isfinite(row).all() for row in self.X.rows):
            raise ValueError("a row of X is not finite")
        return check(self)

    def lowest(self):
        return min(float(row.min()) for row in self.X.rows)


ROWS = kinds.Kind(
    "lists of rows",
    lambda class_of_X: issubclass(class_of_X, Rows),
    engine=f"{__name__}:Halves",
    input=f"{__name__}:RowsInput",
    products=f"{__name__}:Products",
    alternating="sonmf.kernels",
)


@pytest.fixture
def rows_known(monkeypatch):
    monkeypatch.setattr(kinds, "KINDS", [*kinds.KINDS, ROWS])
    kinds.of_class.cache_clear()
    yield
    kinds.of_class.cache_clear()


# ---- what follows from the entry ----

X = simulate.corpus(120, 40, random_state=0).toarray()
MODELS = [
    SONMF(3),
    SONMF(3, solver="cayley", init="kmeans", random_state=0, max_iter=20),
    NMF(3, random_state=0, max_iter=20),
    SemiNMF(3, random_state=0, max_iter=20),
]


@pytest.mark.parametrize("scale", [1.0, 2.0**-40])
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_methods_run_on_a_new_kind_as_on_arrays(rows_known, model, scale):
    here, there = clone(model).fit(scale * X), clone(model).fit(Rows(scale * X))
    assert np.allclose(here.components_, there.components_, rtol=1e-8, atol=1e-9)
    assert here.n_passes_ == there.n_passes_
    assert np.isclose(here.score(scale * X), there.score(Rows(scale * X)))
    assert np.allclose(here.transform(scale * X), there.transform(Rows(scale * X)), rtol=1e-6, atol=1e-9 * scale)


def test_its_own_check_is_asked(rows_known):
    with pytest.raises(ValueError, match="a row of X is not finite"):
        SONMF(2).fit(Rows(np.full((4, 3), np.nan)))
    with pytest.raises(ValueError, match="Negative values in data passed to NMF"):
        NMF(2).fit(Rows(-X))
    with pytest.raises(ValueError, match="39 features"):
        SONMF(2).fit(X).transform(Rows(X[:, 1:]))


def test_a_method_without_kernels_for_it_says_so(rows_known):
    with pytest.raises(ValueError, match="BinarySONMF does not run on lists of rows: give a numpy array"):
        BinarySONMF(2).fit(Rows((X > 0).astype(float)))


@pytest.mark.parametrize("model", [SONMF(3), NMF(3, max_iter=20), BinarySONMF(3, max_iter=20)], ids=str)
@pytest.mark.parametrize("form", [np.asarray, scipy.sparse.csr_array])
def test_an_x_is_asked_once_what_it_is(model, form, monkeypatch):
    asked = []
    monkeypatch.setattr(kinds, "of", lambda X, of=kinds.of: asked.append(X) or of(X))
    kinds.of_class.cache_clear()
    clone(model).fit(form(X > 0).astype(float))
    assert len(asked) == 1


def test_without_the_entry_it_is_refused():
    with pytest.raises(TypeError, match="no kernels for a block of type Rows"):
        kernels.square(Rows(X), None)


# ---- the entries there are ----

NEEDED = {
    "products": set(re.findall(r"_of\(X\)\.(\w+)", inspect.getsource(kernels))),
    "alternating": {"alternate", "assign", "solve"},
    "bernoulli": {name for name, kernel in inspect.getmembers(bernoulli, inspect.isfunction) if hasattr(kernel, "__wrapped__")},
}


ENTRIES = [pytest.param(kind, marks=[pytest.mark.torch] * (kind is kinds.TORCH), id=kind.name) for kind in (*kinds.KINDS, ROWS)]


@pytest.mark.parametrize("kind", ENTRIES)
def test_what_an_entry_names_is_whole(kind):
    assert callable(kinds.load(kind.engine))
    asked = {"checked"} | ({"ones"} if kind.bernoulli else set()) | ({"lowest"} if kind.alternating else set())
    assert all(getattr(kinds.load(kind.input), name) is not getattr(Input, name) for name in asked)
    for family, names in NEEDED.items():
        if module := getattr(kind, family):
            assert len(names) >= 3
            assert [name for name in sorted(names) if not hasattr(kinds.load(module), name)] == []
