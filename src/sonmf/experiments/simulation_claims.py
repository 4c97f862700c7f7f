"""The claims of the paper about its simulations, checked against the results of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

import pandas as pd

from sonmf.experiments.paper_tables import markdown_table
from sonmf.experiments.simulation_methods import FULL

Table: TypeAlias = pd.DataFrame
PAPER = "SONMF (paper)"
RIVALS = ("ONMF", "NMF", "Semi-NMF")


class Claim(NamedTuple):
    """A claim of the paper, whether our run of the paper's own method agrees, our figures, and what our solver changes."""

    text: str
    holds: bool
    figures: str
    ours: str


def check(folder: Path, names: tuple[str, ...]) -> list[Claim]:
    """The claims about the named experiments whose results are in the folder."""
    tables = {path.parent.name: pd.read_csv(path) for path in sorted(folder.glob("*/results.csv"))}
    found: list[Claim] = []
    for needed, judge in CLAIMS:
        if set(needed) & set(names) and set(needed) <= set(tables):
            found += judge(*(tables[name] for name in needed))
    return found


def markdown(claims: list[Claim], last: str = "our solver") -> str:
    """One row for each claim."""
    rows = [[claim.text, "holds" if claim.holds else "does not hold", claim.figures, claim.ours] for claim in claims]
    return markdown_table(["claim of the paper", "in our run", "figures", last], rows)


def _mean(table: Table, method: str, k: int, name: str, scenario: int | None = None) -> float:
    rows = table[(table["method"] == method) & (table["k"] == k)]
    rows = rows if scenario is None else rows[rows["scenario"] == scenario]
    return float(rows[name].mean())


def _means(table: Table, method: str, name: str, ks: Sequence[int] = (10, 30, 50)) -> list[float]:
    return [_mean(table, method, k, name) for k in ks]


def _shared(table: Table, methods: Sequence[str]) -> Table:
    """The rows of trials that all of the methods have: other trials would compare different data."""
    have = table[table["method"].isin(methods)].groupby(["k", "trial"])["method"].nunique()
    whole = have.index[have == len(methods)]
    return table[pd.MultiIndex.from_frame(table[["k", "trial"]]).isin(whole)]


def _list(values: Iterable[float], digits: str = ".4f") -> str:
    return " / ".join(format(value, digits) for value in values)


def _fastest(*tables: Table) -> Iterator[Claim]:
    faster, shown, ours = True, [], []
    for scenario, table in enumerate(tables, start=1):
        rivals = [m for m in RIVALS if m in set(table["method"])]
        table = _shared(table, (PAPER, *rivals))
        own = _means(table, PAPER, "to_criterion")
        best = [min(_mean(table, m, k, "to_criterion") for m in rivals) for k in (10, 30, 50)]
        faster &= all(a <= b for a, b in zip(own, best, strict=True))
        shown.append(f"scenario {scenario}: {_list(own, '.0f')} (rivals {_list(best, '.0f')})")
        ours.append(_list(_means(table, "SONMF", "to_criterion"), ".0f"))
    yield Claim(
        "SONMF reaches the criterion in fewer iterations than every rival (K = 10 / 30 / 50)",
        faster,
        "; ".join(shown),
        "; ".join(ours),
    )


def _scenario_1(table: Table) -> Iterator[Claim]:
    truth, ends = _ends(table)
    strong = [m for m in RIVALS if all(a <= t for a, t in zip(ends[m + FULL], truth, strict=True))]
    shown = "; ".join(f"{m} {_list(ends[m + FULL])}" for m in RIVALS)
    yield Claim(
        "Scenario 1: of the four methods only SONMF reaches the true error (K = 10 / 30 / 50)",
        all(own <= t < min(rest) for t, own, *rest in zip(truth, ends[PAPER], *(ends[m] for m in RIVALS), strict=True)),
        f"true error {_list(truth)}; " + "; ".join(f"{m} {_list(ends[m])}" for m in (PAPER, *RIVALS)),
        f"at full strength {' and '.join(strong) or 'no rival'} too: {shown}",
    )


def _scenario_2(table: Table) -> Iterator[Claim]:
    truth, ends = _ends(table)
    yield Claim(
        "Scenario 2: all but NMF reach the true error, ONMF and Semi-NMF a little lower than SONMF (K = 10 / 30 / 50)",
        all(
            max(onmf, semi) <= own <= t < nmf
            for t, own, onmf, semi, nmf in zip(truth, *(ends[m] for m in (PAPER, "ONMF", "Semi-NMF", "NMF")), strict=True)
        ),
        f"true error {_list(truth)}; " + "; ".join(f"{m} {_list(ends[m])}" for m in (PAPER, *RIVALS)),
        f"SONMF {_list(ends['SONMF'])}; at full strength " + "; ".join(f"{m} {_list(ends[m + FULL])}" for m in RIVALS),
    )


def _ends(table: Table) -> tuple[list[float], dict[str, list[float]]]:
    """The true error, and where each method stopped, at K = 10, 30, 50; the paper's methods on the same data."""
    paired, ends = _shared(table, (PAPER, *RIVALS)), {}
    for method in table["method"].unique():
        rows = paired if method in (PAPER, *RIVALS) else table
        ends[method] = _means(rows, method, "average_residual")
    return _means(paired, PAPER, "true_error"), ends


def _orthogonal(*tables: Table) -> Iterator[Claim]:
    worst, ours = (max(float(t.loc[t["method"] == m, "orthogonal_residual"].max()) for t in tables) for m in (PAPER, "SONMF"))
    onmf = max(float(t.loc[t["method"] == "ONMF", "orthogonal_residual"].max()) for t in tables[:2])
    yield Claim(
        "F is strictly orthogonal", worst < 1e-18, f"largest residual {worst:.1e}; ONMF {onmf:.2g}", f"largest {ours:.1e}"
    )


def _sparser(table: Table) -> Iterator[Claim]:
    zeros = _means(table, PAPER, "G_sparsity_pct")
    ours = _means(table, "SONMF", "G_sparsity_pct")
    semi = max(_means(table, "Semi-NMF", "G_sparsity_pct"))
    yield Claim(
        "G is moderately sparse in scenario 3, Semi-NMF's is not",
        min(zeros) > 5 > semi,
        f"zeros in per cent {_list(zeros, '.1f')}; Semi-NMF at most {semi:.1f}",
        _list(ours, ".1f"),
    )


def _start(table: Table) -> Iterator[Claim]:
    def ends(method: str, start: str) -> list[float]:
        return [_mean(table, f"{method}, {start}", 30, "average_residual", scenario) for scenario in (1, 2, 3)]

    svd, others = ends(PAPER, "SVD"), [ends(PAPER, start) for start in ("K-means", "random")]
    ours = {start: ends("SONMF", start) for start in ("SVD", "K-means", "random")}
    gap = max(abs(a - b) for start in ("K-means", "random") for a, b in zip(ours["SVD"], ours[start], strict=True))
    yield Claim(
        "The SVD start is best, and the method is very sensitive to the start (scenarios 1 / 2 / 3)",
        all(a <= min(b) for a, b in zip(svd, zip(*others, strict=True), strict=True)),
        f"SVD {_list(svd)}; K-means {_list(others[0])}; random {_list(others[1])}",
        f"the sensitivity disappears: SVD {_list(ours['SVD'])}, largest difference between starts {gap:.4f}",
    )


def _over_fitting(table: Table) -> Iterator[Claim]:
    own, semi, ours = (_means(table, m, "over_fit", (30, 60, 120)) for m in (PAPER, "Semi-NMF", "SONMF"))
    yield Claim(
        "With more topics than the true rank, SONMF over-fits less than Semi-NMF (K = 30 / 60 / 120)",
        all(a < b for a, b in zip(own, semi, strict=True)),
        f"true error - residual: SONMF {_list(own)}; Semi-NMF {_list(semi)}",
        _list(ours),
    )


def _steps(table: Table) -> Iterator[Claim]:
    steps = ("eta = 0.05", "eta = 0.025", "eta = 0.01", "eta = 0.005", "eta = 0.001")
    for text, name, digits, ours in (
        ("A larger step reaches the true cost faster", "to_true_cost", ".0f", "no step size"),
        ("A larger step over-fits more (a lower cost after 500 iterations)", "average_cost", ".3f", "a ridge penalty instead"),
    ):
        by_k = {k: [_mean(table, step, k, name) for step in steps] for k in (10, 30, 50)}
        rises = all(values == sorted(values) for values in by_k.values())
        yield Claim(text, rises, "; ".join(f"K = {k}: {_list(values, digits)}" for k, values in by_k.items()), ours)


def _binary(table: Table) -> Iterator[Claim]:
    own, log, ours = (_means(table, m, "eps_P") for m in (PAPER, "logNMF", "SONMF"))
    yield Claim(
        "Binary SONMF finds probabilities nearer the truth than logNMF (eps_P, K = 10 / 30 / 50)",
        all(a < b for a, b in zip(own, log, strict=True)),
        f"SONMF {_list(own, '.1f')}; logNMF {_list(log, '.1f')}",
        _list(ours, ".1f"),
    )
    own, log, ours = (_means(table, m, "to_true_cost") for m in (PAPER, "logNMF", "SONMF"))
    yield Claim(
        "Binary SONMF reaches the true cost in about half the iterations of logNMF (500: not reached)",
        all(0.3 <= a / b <= 0.7 for a, b in zip(own, log, strict=True)),
        f"SONMF {_list(own, '.0f')}; logNMF {_list(log, '.0f')}",
        _list(ours, ".0f"),
    )


def _binary_sparser(table: Table) -> Iterator[Claim]:
    zeros, ours = (_means(table, m, "G_sparsity_pct") for m in (PAPER, "SONMF"))
    yield Claim(
        "G gets sparser as K grows (binary simulation, K = 10 / 30 / 50)",
        zeros == sorted(zeros),
        f"zeros in per cent {_list(zeros, '.1f')}",
        _list(ours, ".1f"),
    )


CLAIMS: list[tuple[tuple[str, ...], Callable[..., Iterator[Claim]]]] = [
    (("table1", "table2", "table3"), _fastest),
    (("table1",), _scenario_1),
    (("table2",), _scenario_2),
    (("table1", "table2", "table3"), _orthogonal),
    (("table3",), _sparser),
    (("init-study",), _start),
    (("rank-study",), _over_fitting),
    (("table4",), _binary),
    (("table4",), _binary_sparser),
    (("step-study",), _steps),
]
