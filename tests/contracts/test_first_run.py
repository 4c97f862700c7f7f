"""A fit compiles whatever its model will need, so that nobody waits for a compiler when asking for a forecast."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse
from numba.core.dispatcher import Dispatcher

from sonmf import NMF, ONMF, SONMF, BinarySONMF, LogisticNMF, SemiNMF, blas
from sonmf.kernels import bernoulli, csr, lanes, least_squares
from sonmf.parallel import for_each_item

FUNCTIONS = [f for module in (bernoulli, blas, csr, lanes, least_squares) for f in vars(module).values()]
SHARED = [version for f in FUNCTIONS if isinstance(f, for_each_item) for version in (f.alone, f.together)]
KERNELS = {f for f in FUNCTIONS if isinstance(f, Dispatcher)} | set(SHARED)
ONES = (np.random.default_rng(0).random((60, 40)) < 0.3).astype(float)

COUNTED = """
import sys
import numba.core.event

class Counted(numba.core.event.Listener):
    count = 0

    def on_start(self, event):
        self.count += 1

    def on_end(self, event):
        pass

compiled = Counted()
numba.core.event.register("numba:compile", compiled)
"""
FIT_AND_FORECAST = """
from sonmf.datasets import make_triage_notes
from sonmf.triage import TriageModel

notes = make_triage_notes(600, complaints=["Cough"], random_state=0)
model = TriageModel(n_topics=5).fit(notes["note"], notes["disposition"], notes["complaint"])
by_fit = compiled.count
model.predict_proba(notes["note"], notes["complaint"])
model.explain("cough x3d, denies fever", "Cough")
print(by_fit, compiled.count - by_fit)
"""
ONE_DOCUMENT = """
import pickle

model, document = pickle.loads(sys.stdin.buffer.read())
model.transform(document)
print(compiled.count)
"""


def with_wide_indices(X):
    X = scipy.sparse.csr_array(X)
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X


def with_empty_cache(code, folder, given=b""):
    """What a fresh process prints and says that has no compiled code on disk."""
    command, environment = [sys.executable, "-c", COUNTED + code], os.environ | {"NUMBA_CACHE_DIR": str(folder)}
    done = subprocess.run(command, env=environment, input=given, capture_output=True, check=True)
    return [int(number) for number in done.stdout.split()], done.stderr.decode()


def versions():
    return {kernel: set(kernel.signatures) for kernel in KERNELS}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    ("make", "block", "dtype"),
    [
        (SONMF, scipy.sparse.csr_array, np.float64),
        (BinarySONMF, np.ascontiguousarray, np.float64),
        (NMF, scipy.sparse.csr_array, np.float32),
        (ONMF, np.ascontiguousarray, np.float32),
        (SemiNMF, with_wide_indices, np.float64),
        (LogisticNMF, with_wide_indices, np.float32),
    ],
)
def test_what_is_called_after_the_fit_was_compiled_by_it(make, block, dtype):
    for kernel in KERNELS:
        kernel._reset_overloads()
    model = make(3, max_iter=5).fit(block(ONES.astype(dtype)))
    by_fit = versions()
    for documents in (ONES, ONES[:7], ONES[:1]):
        X = block(documents.astype(dtype))
        model.inverse_transform(model.transform(X))
        model.score(X)
    assert versions() == by_fit
    assert any(by_fit.values())


@pytest.mark.long
def test_on_a_fresh_machine_the_fit_compiles_says_so_once_and_the_forecast_does_not(tmp_path):
    (by_fit, by_forecast), said = with_empty_cache(FIT_AND_FORECAST, tmp_path)
    assert by_fit > 0
    assert by_forecast == 0
    assert said.count("sonmf: compiling its kernels") == 1


def test_a_model_copied_to_a_fresh_machine_takes_one_document_without_a_compiler(tmp_path):
    X = scipy.sparse.csr_array(ONES)
    sent = pickle.dumps((SONMF(3).fit(X), X[:1]))
    assert with_empty_cache(ONE_DOCUMENT, tmp_path, sent) == ([0], "")
