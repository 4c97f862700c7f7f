"""No door takes a sparse matrix whose indices point outside it; what is legal but unusual stays what it was."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from sonmf import NMF, ONMF, SONMF, BinarySONMF, LogisticNMF, SemiNMF, metrics, simulate
from sonmf.engines.blocks import Blocks, open_blocks, save_csr
from sonmf.estimators.matrix_inputs import input_of
from sonmf.kernels.structure import check_sparse

EVERY = [SONMF, NMF, ONMF, SemiNMF, BinarySONMF, LogisticNMF]
ONES = (np.random.default_rng(0).random((12, 8)) < 0.5).astype(float)
quickly = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def broken(index=99):
    X = scipy.sparse.csr_array(ONES)
    X.indices[5] = index
    return X


@st.composite
def tampered(draw):
    """A CSR, CSC or BSR matrix with an index, a pointer or a length that may be wrong."""
    form = draw(st.sampled_from(["csr_matrix", "csr_array", "csc_array", "bsr_array"]))
    X = getattr(scipy.sparse, form)(ONES)
    part = draw(st.sampled_from(["indices", "indptr"]))
    array = getattr(X, part).astype(draw(st.sampled_from([np.int32, np.int64])))
    for _ in range(draw(st.integers(0, 2))):
        array[draw(st.integers(0, len(array) - 1))] = draw(st.integers(-3, 60))
    setattr(X, part, array[: len(array) - draw(st.sampled_from([0, 0, 0, 1]))])
    return X


@given(tampered())
def test_what_scipys_own_full_check_refuses_is_refused_and_nothing_else(X):
    try:
        X.copy().check_format(full_check=True)
        legal = True
    except (ValueError, IndexError):
        legal = False
    if legal:
        assert np.array_equal(check_sparse(X).toarray(), X.toarray())
    else:
        with pytest.raises(ValueError, match=r"X is not a valid sparse matrix: .*; build it again from its entries"):
            check_sparse(X)


@quickly
@pytest.mark.parametrize("make", EVERY)
@pytest.mark.parametrize("index", [8, 99, 10**9, -1, -3])
def test_every_door_of_an_estimator_refuses_an_index_outside(make, index):
    X, bad = scipy.sparse.csr_array(ONES), broken(index)
    model = make(2, max_iter=3).fit(X)
    doors = [make(2).fit, model.fit, model.transform, model.score, make(2).fit_transform]
    for door in [*doors, model.partial_fit] if make is SONMF else doors:
        with pytest.raises(ValueError, match=f"must lie between 0 and 7, but {index} is among them"):
            door(bad)
        with pytest.raises(ValueError, match=f"must lie between 0 and 7, but {index} is among them"):
            door(Blocks([lambda: X, lambda: bad], [12, 12], 8, float))


def test_metrics_refuse_it_too():
    with pytest.raises(ValueError, match="99 is among them"):
        metrics.average_residual(broken(), np.ones((12, 1)), np.ones((1, 8)))
    with pytest.raises(ValueError, match="99 is among them"):
        metrics.mean_bernoulli_cost(broken(), np.ones((12, 8)))


@pytest.mark.parametrize("axis", [0, 1])
def test_coordinates_are_checked_before_anybody_sorts_by_them(axis):
    X = scipy.sparse.coo_array(ONES)
    coords = [indices.copy() for indices in X.coords]
    coords[axis][3] = 1000
    X.coords = tuple(coords)
    with pytest.raises(ValueError, match=f"its {('row', 'column')[axis]} indices must lie between"):
        SONMF(2).fit(X)


def test_what_a_matrix_remembers_of_its_order_is_not_believed():
    X = scipy.sparse.csr_array(np.ones((6, 4)))
    assert X.has_canonical_format  # and will go on saying so
    X.indices[:] = [0, 0, 2, 3] * 6
    assert np.array_equal(SONMF._checked(input_of(check_sparse(X))).X.toarray(), np.tile([2.0, 0, 1, 1], (6, 1)))
    assert np.isclose(SONMF(1).fit(X).reconstruction_err_, 0, atol=1e-6)


@pytest.mark.parametrize("shape", [(11, 8), (12, 7), (13, 8)])
def test_a_block_of_another_shape_than_announced_is_refused(shape):
    with pytest.raises(ValueError, match=r"has the shape \(12, 8\), but .* was announced"):
        LogisticNMF(2, max_iter=2).fit(Blocks([lambda: scipy.sparse.csr_array(ONES)], [shape[0]], shape[1], float))


def test_a_chunk_of_another_shape_than_dask_says_is_refused():
    import dask.array as dask
    from dask import delayed

    X = dask.from_delayed(delayed(lambda: ONES)(), (12, 5), float)
    with pytest.raises(ValueError, match=r"has the shape \(12, 8\), but \(12, 5\) was announced"):
        SONMF(2).fit(X)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("indices", lambda array: array + 5),
        ("indices", lambda array: array[:-1]),
        ("indices", lambda array: array + 0.5),
        ("indptr", lambda array: array[:-1]),
        ("indptr", lambda array: array[::-1].copy()),
        ("indptr", lambda array: array * 10**6),
        ("indptr", lambda array: array - 3),
    ],
)
def test_arrays_on_disk_that_do_not_fit_are_refused(tmp_path, name, change):
    save_csr(tmp_path, scipy.sparse.csr_array(ONES))
    array = np.load(tmp_path / f"{name}.npy")
    np.save(tmp_path / f"{name}.npy", change(array))
    with pytest.raises(ValueError, match=r"sparse matrix"):
        SONMF(2).fit(open_blocks(tmp_path))


def test_a_damaged_npz_block_is_refused_when_it_is_read(tmp_path):
    scipy.sparse.save_npz(tmp_path / "a.npz", simulate.corpus(200, 50, random_state=0))
    X = open_blocks(tmp_path)
    data = bytearray((tmp_path / "a.npz").read_bytes())
    data[len(data) // 2] ^= 255
    (tmp_path / "a.npz").write_bytes(data)
    with pytest.raises(ValueError, match=r"a\.npz is not a CSR matrix in npz form"):
        SONMF(2).fit(X)


def test_a_torch_tensor_is_checked_as_well(torch):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # "beta", once a process
        X = torch.tensor(ONES).to_sparse_csr()
    bad = X.col_indices().clone()
    bad[3] = 99
    X = torch.sparse_csr_tensor(X.crow_indices(), bad, X.values(), X.shape, check_invariants=False)
    with pytest.raises(ValueError, match=r"X is not a valid sparse tensor \(.*\): build it again"):
        SONMF(2).fit(X)
