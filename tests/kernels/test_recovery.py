"""Every kernel with a local state says how a lost one is made again: otherwise it would fail only when a worker dies."""

from __future__ import annotations

import inspect
from functools import partial

import numpy as np
import pytest
import scipy.sparse

from sonmf import kernels
from sonmf.errors import InputError
from sonmf.kernels import bernoulli, recover
from sonmf.solvers import multiplicative

X = scipy.sparse.csr_array((np.random.default_rng(0).random((30, 12)) < 0.3).astype(float))
F, MU = np.abs(np.linalg.qr(np.random.default_rng(1).normal(size=(12, 3)))[0]), np.linspace(-1, 1, 12)
SHARED = {
    kernels.alternate: (F,),
    bernoulli.evaluate: (F, MU),
    bernoulli.gradients: (F, MU),
    bernoulli.newton: (F, MU, 0.05, 0.1),
    bernoulli.majorise: (F, MU, 0.5, 0.1),
    bernoulli.solve: (F, MU, 0.1, 0.0, 3.0),
    bernoulli.ascend: (F, 0.001),
}
WEIGHTED = [kernels.ascent, kernels.ascent_and_image, kernels.clip, kernels.explained, kernels.sign_energies]
"""Their state is the weights of the documents, which nobody can make again."""


def takes_a_state(function):
    """Whether a function has the form of the door, with a local state other than None after the block."""
    signature = inspect.signature(function)
    names = list(signature.parameters)
    if "X" not in names[:-1] or not signature.return_annotation.startswith("tuple["):
        return False
    return signature.parameters[names[names.index("X") + 1]].annotation != "None"


def test_no_kernel_with_a_local_state_is_left_out():
    declared = [
        function
        for module in (kernels, bernoulli)
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__ and not name.startswith("_")
    ]
    found = {function for function in declared if takes_a_state(function)}
    assert found == set(SHARED) | set(WEIGHTED)
    assert [kernel.__name__ for kernel in found if not hasattr(kernel, "recovery")] == []


@pytest.mark.parametrize("kernel", SHARED, ids=lambda kernel: kernel.__name__)
def test_a_kernel_goes_on_from_what_its_rule_makes(kernel):
    step = partial(kernel, multiplicative.move_G) if kernel is kernels.alternate else kernel
    local, _ = step(X, recover(step, X, *SHARED[kernel]), *SHARED[kernel])
    G = getattr(local, "G", local)
    assert G.shape == (30, 3)
    assert np.isfinite(G).all()


@pytest.mark.parametrize("kernel", WEIGHTED, ids=lambda kernel: kernel.__name__)
def test_lost_weights_are_told(kernel):
    with pytest.raises(InputError, match="a worker was lost, and with it the weights of its documents: fit again"):
        recover(kernel, X, F)


def test_what_is_made_again_is_the_best_there_is():
    G = recover(bernoulli.evaluate, X, F, MU)
    _, (best, _) = bernoulli.evaluate(X, G, F, MU)
    random = np.random.default_rng(2)
    for size in (1e-3, 0.1, 1.0):
        other = np.maximum(G + size * random.normal(size=G.shape), 0)
        assert best <= bernoulli.evaluate(X, other, F, MU)[1][0] + 1e-6
