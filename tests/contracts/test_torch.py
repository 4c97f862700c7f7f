"""Torch tensors, here on the CPU: kernels equal those of numpy, and fits end where fits of arrays end."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from matrices import problems
from sklearn.base import clone

from sonmf import NMF, SONMF, BinarySONMF, LogisticNMF, kernels, simulate
from sonmf.kernels import bernoulli

torch = pytest.importorskip("torch", reason="needs torch: pytest -m torch")
sigmoid_products = pytest.importorskip("sonmf.kernels.sigmoid_products", reason="needs torch: pytest -m torch")
pytestmark = [
    pytest.mark.torch,
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore:Sparse CSR tensor support is in beta"),
]
LAYOUTS = {"dense": torch.tensor, "csr": lambda A: torch.tensor(A).to_sparse_csr()}
EPS = {np.float64: 1e-12, np.float32: 1e-4}
CALLS = [
    (kernels.ascent, lambda F: (F,)),
    (kernels.normal, lambda F: (F,)),
    (kernels.sign_energies, lambda F: (F, F[0] * np.arange(F.shape[1]))),
    (kernels.column_sums, lambda F: ()),
    (kernels.square, lambda F: ()),
    (kernels.project, lambda F: (F,)),
    (kernels.clip, lambda F: (F,)),
]


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    """Tensors this small only wait for a second thread."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def tensors(values):
    return [torch.tensor(value) if isinstance(value, np.ndarray) else value for value in values]


@pytest.mark.parametrize("dtype", EPS)
@pytest.mark.parametrize("layout", LAYOUTS)
@given(problem=problems())
def test_kernels_equal_those_of_numpy(layout, dtype, problem):
    X, F = problem
    scale = EPS[dtype] * max(np.sum(X**2) + X.size * F.shape[1] ** 2, 1e-300)
    block = LAYOUTS[layout](X.astype(dtype))
    for kernel, shared in CALLS:
        local, sums = kernel(block, None, *tensors(value.astype(dtype) for value in shared(F)))
        expected_local, expected_sums = kernel(X, None, *shared(F))
        for actual, expected in zip(sums, expected_sums, strict=True):
            assert np.allclose(actual, expected, rtol=0, atol=scale), kernel.__name__
        if expected_local is None:
            assert local is None
        else:
            assert local.dtype == block.dtype
            assert np.allclose(local, expected_local, rtol=0, atol=EPS[dtype] * max(np.sqrt(np.sum(X**2)), 1e-300))


@pytest.fixture
def short_tiles(monkeypatch):
    """Tiles of eight documents, so that small data have several."""
    from sonmf.kernels import torch_bernoulli

    monkeypatch.setattr(torch_bernoulli, "TILE_BYTES", 1)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 1000), size=st.sampled_from([0.1, 3.0, 1e3]), beta=st.sampled_from([0.0, 0.5]))
def test_kernels_for_01_equal_those_of_the_cpu(short_tiles, seed, size, beta):
    rng = np.random.default_rng(seed)
    X = scipy.sparse.csr_array((rng.random((30, 17)) < 0.2).astype(float))
    F, mu, G = np.linalg.qr(rng.normal(size=(17, 3)))[0], rng.normal(size=17), size * rng.random((30, 3))
    block = torch.tensor(X.toarray()).to_sparse_csr()
    scale = 1e-9 * (1 + size) ** 2 * X.shape[0]
    calls = [
        (bernoulli.evaluate, G, ()),
        (bernoulli.gradients, G, ()),
        (bernoulli.newton, G, (0.05, 0.1)),
        (bernoulli.majorise, bernoulli.Codes(G, G, np.roll(G, 1, axis=0)), (beta, 0.01)),
    ]
    for kernel, local, parameters in calls:
        there = bernoulli.Codes(*tensors(local)) if isinstance(local, bernoulli.Codes) else torch.tensor(local)
        expected, actual = kernel(X, local, F, mu, *parameters), kernel(block, there, *tensors([F, mu]), *parameters)
        states = (
            zip(expected[0][:3], actual[0][:3], strict=True)
            if isinstance(local, bernoulli.Codes)
            else [(expected[0], actual[0])]
        )
        for a, b in [*states, *zip(expected[1], actual[1], strict=True)]:
            assert np.allclose(a, b, rtol=1e-9, atol=scale), kernel.__name__


MODELS = {
    "SONMF": SONMF(4),
    "SONMF, K-means": SONMF(4, solver="procrustes", init="kmeans", random_state=0, max_iter=20),
    "BinarySONMF": BinarySONMF(4, max_iter=15),
    "BinarySONMF, newton": BinarySONMF(4, solver="newton", intercept=False, max_iter=5),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(
    ("dtype", "eps"), [(np.float64, 1e-10), (np.float32, 3e-3)]
)  # float32 settles to a few 1e-3, by machine
def test_torch_in_torch_out_and_the_fit_of_the_array(name, layout, dtype, eps):
    model = MODELS[name]
    X = (
        simulate.binary(200, 60, 4, random_state=0)[0]
        if "Binary" in name
        else simulate.corpus(500, 80, random_state=0).toarray()
    )
    X = X.astype(dtype)
    T = LAYOUTS[layout](X)
    here, there = clone(model).fit(X), clone(model).fit(T)
    assert np.allclose(here.components_, there.components_, rtol=0, atol=eps)
    assert there.components_.dtype == dtype
    assert dtype == np.float32 or here.n_passes_ == there.n_passes_  # in single precision rounding decides the last restart
    assert np.isclose(here.score(X), there.score(T), rtol=1e3 * eps if dtype == np.float64 else eps)
    G = there.transform(T)
    assert isinstance(G, torch.Tensor)
    assert G.dtype == T.dtype
    assert np.allclose(G, here.transform(X), atol=1e-5 if dtype == np.float64 else 1e-2)
    assert np.allclose(
        there.inverse_transform(G), here.inverse_transform(G.numpy()), atol=1e-4 if dtype == np.float64 else 1e-3
    )
    signed = clone(model).set_params(signed=True).fit(T).transform(T)
    assert np.allclose(signed, X @ there.components_.T, atol=1e-4)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_logistic_nmf_gives_the_fit_of_the_array(layout):
    X = simulate.binary(100, 40, 3, random_state=0)[0]
    here, there = (LogisticNMF(3, eta=0.01, max_iter=30, random_state=0).fit(A) for A in (X, LAYOUTS[layout](X)))
    assert np.allclose(here.components_, there.components_, rtol=0, atol=1e-10)
    assert np.allclose(here.objective_history_, there.objective_history_, rtol=1e-10)
    assert np.isclose(here.mean_cost_, there.mean_cost_, rtol=1e-8)


def test_a_stream_of_tensors_is_a_stream():
    X = simulate.corpus(600, 80, random_state=0).toarray()
    here, there = SONMF(4).fit(X[:300]), SONMF(4).fit(torch.tensor(X[:300]))
    assert np.allclose(here.partial_fit(X[300:]).components_, there.partial_fit(torch.tensor(X[300:])).components_, atol=1e-9)


def test_01_may_be_boolean_and_x_is_left_alone():
    X = torch.tensor(simulate.binary(60, 40, 3, random_state=0)[0])
    before = X.clone()
    reference = BinarySONMF(2, max_iter=3).fit(X.float())
    assert np.allclose(BinarySONMF(2, max_iter=3).fit(X.bool()).components_, reference.components_)
    assert torch.equal(X, before)


class TestBadInput:
    def test_values(self):
        X = torch.rand(6, 5)
        X[2, 3] = torch.nan
        with pytest.raises(ValueError, match="NaN or infinity"):
            SONMF(2).fit(X)
        with pytest.raises(ValueError, match="only 0 and 1"):
            BinarySONMF(2).fit(torch.rand(6, 5))
        with pytest.raises(ValueError, match="1 dimensions"):
            SONMF(2).fit(torch.rand(6))
        with pytest.raises(ValueError, match="4 features"):
            SONMF(2).fit(torch.rand(6, 5)).transform(torch.rand(6, 4))

    def test_methods_without_torch_kernels(self):
        with pytest.raises(ValueError, match=r"NMF does not run on torch tensors: give X\.cpu\(\)\.numpy\(\)"):
            NMF(2).fit(torch.rand(6, 5))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="the fused kernel did not run: it needs a GPU and Triton")
@pytest.mark.parametrize(("product", "eps"), [(torch.float32, 3e-3), (torch.bfloat16, 1e-2), (torch.float16, 2e-3)])
@pytest.mark.parametrize(("n", "p", "k"), [(150, 70, 5), (33, 130, 16), (9000, 40, 3)])
def test_the_fused_kernel_equals_float64(n, p, k, product, eps):
    random = torch.Generator("cuda").manual_seed(0)
    G, F, mu, A = (torch.randn(shape, generator=random, device="cuda") for shape in ((n, k), (p, k), (p,), (n, k)))
    theta = G.double() @ F.double().T + mu
    S, softplus = torch.sigmoid(theta), torch.nn.functional.softplus(theta).sum(dim=1)
    tiling = sigmoid_products.Tiling(32, 32, 4, 2, product)
    actual = [*sigmoid_products.rows(G, F, mu, tiling), *sigmoid_products.columns(G, F, mu, A, tiling)]
    for a, b in zip(actual, (S @ F.double(), softplus, S.T @ A.double(), S.sum(dim=0)), strict=True):
        assert a.shape == b.shape
        assert (a - b).norm() <= eps * b.norm()
