"""``sonmf factorize``: a bare matrix in, its factors out."""

import numpy as np
import pytest
import scipy.sparse

from sonmf import SONMF


@pytest.mark.parametrize("method", ["sonmf", "nmf", "binary-sonmf"])
def test_factorize_a_bare_matrix(sonmf, tmp_path, method):
    X = (scipy.sparse.random(60, 30, 0.2, random_state=0) > 0).astype(float).tocsr()
    scipy.sparse.save_npz(tmp_path / "X.npz", X)
    code, out, err = sonmf("factorize", tmp_path / "X.npz", "--method", method, "--topics", "3", "-o", tmp_path / "f.npz")
    assert code == 0, err
    assert "3 topics" in out
    with np.load(tmp_path / "f.npz") as factors:
        assert factors["components"].shape == (3, 30)
    amounts = np.load(tmp_path / "f-amounts.npy")
    assert amounts.shape == (60, 3)
    assert (amounts >= 0).all()


@pytest.mark.parametrize("place", [["--memory", "2GB"], pytest.param(["--workers", "1"], marks=pytest.mark.long)])
def test_factorize_a_folder_of_blocks_as_in_memory(sonmf, tmp_path, place):
    X = scipy.sparse.random(90, 30, 0.3, random_state=1).tocsr()
    (tmp_path / "blocks").mkdir()
    for number in range(3):
        scipy.sparse.save_npz(tmp_path / "blocks" / f"{number}.npz", X[30 * number : 30 * number + 30])
    command = ["factorize", tmp_path / "blocks", "--topics", "3", "-o", tmp_path / "f.npz", *place]
    code, _, err = sonmf(*command)
    assert code == 0, err
    model = SONMF(3, random_state=0)
    G = model.fit_transform(X)
    with np.load(tmp_path / "f.npz") as factors:
        np.testing.assert_allclose(factors["components"], model.components_, atol=1e-9)
    np.testing.assert_allclose(np.load(tmp_path / "f-amounts.npy"), G, atol=1e-9)


def test_starts_and_sparsity_reach_the_fit(sonmf, tmp_path):
    X = scipy.sparse.random(90, 30, 0.3, random_state=1).tocsr()
    scipy.sparse.save_npz(tmp_path / "X.npz", X)
    code, _, err = sonmf(
        "factorize", tmp_path / "X.npz", "--topics", 3, "--starts", 3, "--sparsity", 0.1, "-o", tmp_path / "f.npz"
    )
    assert code == 0, err
    expected = SONMF(3, n_init=3, sparsity=0.1, random_state=0).fit(X)
    with np.load(tmp_path / "f.npz") as factors:
        np.testing.assert_allclose(factors["components"], expected.components_, atol=1e-9)
    np.testing.assert_allclose(np.load(tmp_path / "f-amounts.npy"), expected.transform(X), atol=1e-9)


@pytest.mark.parametrize("option", ["--starts", "--sparsity"])
def test_options_of_sonmf_alone_are_refused_elsewhere(sonmf, tmp_path, option):
    np.save(tmp_path / "X.npy", np.ones((6, 4)))
    code, _, err = sonmf("factorize", tmp_path / "X.npy", "--method", "nmf", option, 1, "-o", tmp_path / "f.npz")
    assert code == 2
    assert f"{option} is for --method sonmf: leave it out with nmf" in err
    assert not (tmp_path / "f.npz").exists()
