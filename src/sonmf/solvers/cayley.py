"""Algorithm 1 of the paper: a step along the Cayley curve Y(tau), tau found by halving and doubling.

The listing leaves some points open, which are settled as follows. E = C(F, G) - C(Y(tau), G), both with the new G = [XF]+:
then F's step lowers C(., G), the next G lowers it further, and the method is monotone. With E > 0, F becomes Y(tau) at the tau
that was tested and tau doubles for the next iteration; with E <= 0, tau is halved and tried again, at most 50 times. tau
carries over between iterations and starts at 0.5.

For fixed G, C(Y, G) = const - 2 tr(Y'M) with M = X'G. So E = 2 tr((Y - F)'M), and a trial costs no pass over X.
"""

from __future__ import annotations

import numpy as np

from sonmf.solvers.problem import LeastSquares, LeastSquaresPoint, LineSearchState, evaluate
from sonmf.stiefel import CayleyCurve
from sonmf.types import Array

TAU = 0.5
HALVINGS = 50


def init_state(problem: LeastSquares, F: Array) -> LineSearchState[LeastSquaresPoint]:
    return LineSearchState(evaluate(problem, F), TAU)


def update(problem: LeastSquares, state: LineSearchState[LeastSquaresPoint]) -> LineSearchState[LeastSquaresPoint]:
    F, M, tau = state.point.F, problem.free_part(state.point.M), state.tau
    FM = F.T @ M
    # R = 2FG'G - 2M in the paper. F times a symmetric matrix cancels in S = RF' - FR', so G'G is not needed.
    R = F @ (FM + FM.T) - 2 * M
    curve = CayleyCurve(F, R, M)
    for _ in range(HALVINGS):
        if curve.gain(tau) > 0 and np.vdot(M, (Y := problem.restore_fixed(curve.point(tau))) - F) > 0:
            new = evaluate(problem, Y)
            return LineSearchState(new, 2 * tau) if new.objective <= state.point.objective else state
        tau /= 2
    return state._replace(tau=tau)
