from __future__ import annotations

import numba
import numba.core.event

from sonmf.compiled import Notice


def compile_one(module):
    def double(x):
        return 2 * x

    double.__module__ = module
    assert numba.njit(double)(21) == 42


def test_one_line_says_that_our_kernels_are_compiled_and_none_that_others_are(capsys):
    with numba.core.event.install_listener("numba:compile", Notice()):
        compile_one("elsewhere.module")
        assert capsys.readouterr().err == ""
        compile_one("sonmf.kernels.test")
        assert capsys.readouterr().err.count("sonmf: compiling its kernels") >= 1
        compile_one("sonmf.kernels.test")
        assert "compiling" not in capsys.readouterr().err
