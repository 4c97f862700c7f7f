"""SONMF beside its peers on one corpus: seconds, peak memory, residual, and how soon SONMF reaches the residual of each.

python benchmarks/peers.py [--repeats 3] [--ranks 50 150] [--threads 1 2]
python benchmarks/peers.py --text [--data ../shared/data] [--repeats 3]
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from itertools import product
from typing import Any

from common import DOCUMENTS, WORDS, asked, corpus, in_process, machine, median, peak_memory_above, say, spread, table, verdict

PATIENCE, LIMIT = 40.0, 150.0  # seconds after which a peer is not run again, and after which its process is stopped
TEXT_RANKS = (10, 50)
TARGETS = {50: (40, 12), 150: (60, 30)}  # sooner at the residual of scikit-learn's cd, and faster as a whole

NOTE = """\
"SONMF there" is the time in which SONMF, start included, reaches the residual ||X - GH||² / ||X||² of that line. TruncatedSVD
may use amounts of both signs, which is an easier problem; where a peer keeps no amounts, its topics are given the best ones.
On a machine that is busy with other work, compare the seconds of processor time (CPU s)."""

Factors = tuple[Any, Any]


# ---- the peers: X and K in; G (n x K, or None where it is ours to solve) and the topics H (K x p) out ----


def sklearn_cd(X: Any, k: int, seed: int) -> Factors:
    from sklearn.decomposition import NMF

    model = NMF(k, init="nndsvd", solver="cd", tol=1e-4, max_iter=200, random_state=seed)
    return model.fit_transform(X), model.components_


def sklearn_mu(X: Any, k: int, seed: int) -> Factors:
    from sklearn.decomposition import NMF

    model = NMF(k, init="nndsvda", solver="mu", tol=1e-4, max_iter=200, random_state=seed)
    return model.fit_transform(X), model.components_


def sklearn_minibatch(X: Any, k: int, seed: int) -> Factors:
    from sklearn.decomposition import MiniBatchNMF

    model = MiniBatchNMF(k, init="nndsvda", random_state=seed)
    return model.fit_transform(X), model.components_


def sklearn_svd(X: Any, k: int, seed: int) -> Factors:
    from sklearn.decomposition import TruncatedSVD

    model = TruncatedSVD(k, random_state=seed)
    return model.fit_transform(X), model.components_


def gensim_nmf(X: Any, k: int, seed: int) -> Factors:
    from gensim.matutils import Sparse2Corpus
    from gensim.models.nmf import Nmf

    model = Nmf(Sparse2Corpus(X, documents_columns=False), num_topics=k, random_state=seed)
    return None, model._W.T


def nimfa_nmf(X: Any, k: int, seed: int) -> Factors:
    import nimfa
    import scipy.sparse

    fit = nimfa.Nmf(scipy.sparse.csr_matrix(X), rank=k, max_iter=30, update="euclidean", objective="fro")()
    return dense(fit.basis()), dense(fit.coef())


def torchnmf_nmf(X: Any, k: int, seed: int) -> Factors:
    import torch
    from torchnmf.nmf import NMF

    torch.manual_seed(seed)
    net = NMF(X.shape, rank=k)
    net.fit(torch.from_numpy(X.toarray()).float(), beta=2, max_iter=200)
    return net.H.detach().numpy().astype(float), net.W.detach().numpy().astype(float).T


def dense(A: Any) -> Any:
    import numpy as np

    return np.asarray(A.todense() if hasattr(A, "todense") else A)


PEERS: dict[str, tuple[str, Callable[..., Factors]]] = {
    "scikit-learn NMF, cd": ("sklearn", sklearn_cd),
    "scikit-learn NMF, mu": ("sklearn", sklearn_mu),
    "scikit-learn MiniBatchNMF": ("sklearn", sklearn_minibatch),
    "scikit-learn TruncatedSVD": ("sklearn", sklearn_svd),
    "gensim Nmf": ("gensim", gensim_nmf),
    "nimfa Nmf, 30 iterations": ("nimfa", nimfa_nmf),
    "torchnmf NMF": ("torchnmf", torchnmf_nmf),
}


# ---- jobs, each run in a fresh process with pinned threads ----


def residual(X: Any, factors: Factors) -> float:
    """||X - GH||^2 / ||X||^2; where a peer keeps no G, the best G >= 0 for its topics."""
    import numpy as np

    from sonmf import kernels

    G, H = factors
    H = np.ascontiguousarray(H, np.float64)
    if G is None:
        G, _ = kernels.solve(X, None, np.ascontiguousarray(H.T), H @ H.T)
    square = float((X.data**2).sum())
    return float(square - 2 * np.vdot(X @ H.T, G) + np.vdot(G.T @ G, H @ H.T)) / square


def peer(method: str, k: int, repeats: int) -> dict[str, Any]:
    """The peer, and in turn SONMF stopped at the peer's residual."""
    from sonmf import SONMF

    warnings.simplefilter("ignore")
    X, fit, fitted = corpus(), PEERS[method][1], {}
    mean = float((X.data**2).sum()) / X.shape[0] / X.shape[1]
    times, processor, reaching, memory, end = [], [], [], None, 0.0
    for seed in range(repeats):
        start, start_processor = time.perf_counter(), time.process_time()
        memory_now = peak_memory_above(lambda seed=seed: fitted.update(factors=fit(X, k, seed)))
        times.append(time.perf_counter() - start)
        processor.append(time.process_time() - start_processor)
        memory = memory if memory is not None else memory_now
        end = residual(X, fitted["factors"])
        start = time.perf_counter()
        model = SONMF(k, callback=lambda it, end=end: it.objective <= end * mean).fit(X)
        if model.objective_history_[-1] <= end * mean:
            reaching.append(time.perf_counter() - start)
        if sum(times) > PATIENCE:
            break
    return {"times": times, "processor": processor, "memory": memory, "residual": end, "reaching": reaching}


def ours(k: int, repeats: int, dtype: str) -> dict[str, Any]:
    from sonmf import SONMF

    X, models, times, processor = corpus().astype(dtype), [], [], []
    SONMF(k, max_iter=1, callback=lambda it: True).fit(X)  # compiles
    memory = peak_memory_above(lambda: SONMF(k).fit_transform(X))
    for _ in range(repeats):
        start, start_processor = time.perf_counter(), time.process_time()
        models.append(SONMF(k).fit(X))
        times.append(time.perf_counter() - start)
        processor.append(time.process_time() - start_processor)
    share = models[-1].reconstruction_err_ ** 2 / float((X.data.astype(float) ** 2).sum())
    return {"times": times, "processor": processor, "memory": memory, "residual": share, "passes": models[-1].n_passes_}


def long(k: int, iterations: int) -> float:
    """Where very many iterations end."""
    from sonmf import SONMF

    warnings.simplefilter("ignore")
    X = corpus()
    return SONMF(k, tol=0, max_iter=iterations).fit(X).reconstruction_err_ ** 2 / float((X.data**2).sum())


def text(data: str, name: str, k: int, repeats: int) -> list[dict[str, Any]]:
    """Seconds of processor time and residual on real documents: the methods take turns, so that they share what else runs."""
    from trust import press_and_notes

    warnings.simplefilter("ignore")
    X, spent, ends = press_and_notes(data)[name](), {method: [] for method in ON_TEXT}, {}
    sonmf(X, 2, 0)  # compiles
    for seed, method in product(range(repeats), ON_TEXT):
        start = time.process_time()
        factors = ON_TEXT[method](X, k, seed)
        spent[method].append(time.process_time() - start)
        ends[method] = residual(X, factors)
    return [{"method": method, "processor": spent[method], "residual": ends[method]} for method in ON_TEXT]


def sonmf(X: Any, k: int, seed: int) -> Factors:
    from sonmf import SONMF

    model = SONMF(k)
    return model.fit_transform(X), model.components_


ON_TEXT = {
    "SONMF()": sonmf,
    "scikit-learn NMF, cd": sklearn_cd,
    "scikit-learn NMF, mu": sklearn_mu,
    "scikit-learn TruncatedSVD": sklearn_svd,
}
JOBS = {f.__name__: f for f in (peer, ours, long, text)}


# ---- the report ----


def job(name: str, threads: int = 1, **arguments: Any) -> Any:
    return in_process(__file__, name, threads=threads, limit=LIMIT, **arguments)


def installed() -> list[str]:
    return [name for name, (package, _) in PEERS.items() if find_spec(package)]


def missing() -> str:
    names = sorted({package for package, _ in PEERS.values() if not find_spec(package)})
    return f"Not installed, so not in the table: {', '.join(names)}." if names else "Every peer was installed."


def measure(ranks: list[int], threads: list[int], repeats: int) -> list[dict[str, Any]]:
    """One record for each method, rank and number of threads."""
    records = []
    unfinished = set()
    for k, t in product(ranks, threads):
        for dtype, method in (("float64", "SONMF()"), ("float32", "SONMF(), float32")):
            records.append({"method": method, "k": k, "threads": t} | job("ours", t, k=k, repeats=max(repeats, 5), dtype=dtype))
        for method in installed():
            why = "not tried again" if method in unfinished else f"more than {LIMIT:.0f}"
            timed = None if method in unfinished else job("peer", t, method=method, k=k, repeats=repeats)
            unfinished |= {method} if timed is None else set()
            records.append({"method": method, "k": k, "threads": t} | (timed or {"times": [], "why": why}))
    return records


def report(records: list[dict[str, Any]], ends: dict[int, float]) -> str:
    header = ["K", "threads", "method", "seconds", "CPU s", "peak MB", "residual", "SONMF there, s", "times sooner"]
    rows = [row(record) for record in records]
    return "\n".join([table(header, rows), "", missing(), "", *claims(records, ends)])


def row(record: dict[str, Any]) -> list[str]:
    place = [str(record["k"]), str(record["threads"]), record["method"]]
    if not record["times"]:
        return [*place, record["why"], "", "", "", "", ""]
    reaching = record.get("reaching")
    sooner = ["", ""]
    if reaching:
        sooner = [spread(reaching), f"{median(record['times']) / median(reaching):.1f}"]
    elif reaching is not None:
        sooner = ["never", ""]
    memory = "" if record["memory"] is None else f"{record['memory'] / 2**20:.0f}"
    return [*place, spread(record["times"]), f"{median(record['processor']):.3g}", memory, f"{record['residual']:.5f}", *sooner]


def claims(records: list[dict[str, Any]], ends: dict[int, float]) -> list[str]:
    """The aims, each with its verdict: one thread, against scikit-learn's coordinate descent."""
    lines = []
    on_one_thread = {(r["method"], r["k"]): r for r in records if r["threads"] == 1}
    for k, end in ends.items():
        theirs, ours = on_one_thread["scikit-learn NMF, cd", k], on_one_thread["SONMF()", k]
        sooner = median(theirs["times"]) / median(theirs["reaching"])
        faster = median(theirs["times"]) / median(ours["times"])
        gap = ours["residual"] / end - 1
        reach, whole = TARGETS[k]
        lines += [
            f"- K = {k}: `SONMF()` reaches the residual of scikit-learn's cd {sooner:.0f} times sooner (aim {reach}: "
            f"{verdict(sooner, reach)}), and a whole fit is {faster:.0f} times faster (aim {whole}: {verdict(faster, whole)}).",
            f"- K = {k}: its residual is {ours['residual']:.5f}, that of cd {theirs['residual']:.5f}. Ours is {gap:.1e} "
            f"above what 2,000 iterations reach (aim 1e-3: {verdict(gap, 1e-3, at_most=True)}).",
        ]
    return lines


def on_text(data: str, repeats: int) -> str:
    """The table of real documents, on one thread."""
    from trust import press_and_notes

    rows = []
    for name, k in product(press_and_notes(data), TEXT_RANKS):
        for one in in_process(__file__, "text", threads=1, data=data, name=name, k=k, repeats=repeats):
            rows.append([name, str(k), one["method"], spread(one["processor"]), f"{one['residual']:.5f}"])
    return table(["documents", "K", "method", "CPU s", "residual"], rows)


def main(ranks: list[int], threads: list[int], repeats: int) -> tuple[str, list[dict[str, Any]]]:
    """The text, and the records it was made of."""
    records = measure(ranks, threads, repeats)
    ends = {k: in_process(__file__, "long", threads=1, k=k, iterations=2000) for k in ranks if k in TARGETS}
    what = f"Generated tf-idf corpus, {DOCUMENTS:,} x {WORDS:,}; medians of up to {repeats} runs (lowest-highest)."
    return "\n".join([what, NOTE, "", report(records, ends)]), records


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3, help="timings to take the median of (default 3)")
    parser.add_argument("--ranks", type=int, nargs="+", default=[50, 150], help="numbers of topics (default 50 150)")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2], help="numbers of threads (default 1 2)")
    parser.add_argument("--text", action="store_true", help="on real documents instead, on one thread")
    parser.add_argument("--data", default="../shared/data", help="folder with the real data (default ../shared/data)")
    if options := asked(parser, JOBS):
        if options.text:
            say(f"{machine()}\n\n{on_text(options.data, options.repeats)}")
        else:
            say(f"{machine()}\n\n{main(options.ranks, options.threads, options.repeats)[0]}")
