"""Without LLVM instructions of our own everything runs in plain numba, with the same results."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from sonmf import SONMF, llvm, simulate

FIT = """
import sys
import numpy as np
from sonmf import SONMF, llvm, simulate

assert not llvm.AVAILABLE
model = SONMF(5, max_iter=20, tol=0).fit(simulate.corpus(300, 100, random_state=0))
np.save(sys.argv[1], model.components_)
"""


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_fit_in_plain_numba_ends_at_the_same_topics(tmp_path):
    chosen = os.environ | {"SONMF_PLAIN_NUMBA": "1", "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    subprocess.run([sys.executable, "-W", "ignore", "-c", FIT, tmp_path / "F.npy"], env=chosen, check=True)
    expected = SONMF(5, max_iter=20, tol=0).fit(simulate.corpus(300, 100, random_state=0))
    assert np.allclose(np.load(tmp_path / "F.npy"), expected.components_, rtol=0, atol=1e-9)


@pytest.mark.parametrize("lost", [AttributeError, TypeError])
def test_an_llvmlite_without_typed_pointers_is_noticed(monkeypatch, lost):
    def as_pointer(self):
        raise lost

    assert llvm._typed_pointers()
    monkeypatch.setattr(llvm.ir.Type, "as_pointer", as_pointer)
    assert not llvm._typed_pointers()
