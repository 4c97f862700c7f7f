"""A matrix four times the memory: SONMF from disk under a limit that the system enforces.

python benchmarks/larger_than_memory.py [--memory 420MB]
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import warnings
from pathlib import Path
from typing import Any

from common import asked, in_process, machine, say, seconds, verdict

WORDS, TOPICS = 800, 3


def write(folder: str, size: int) -> dict[str, Any]:
    """A matrix of at least ``size`` bytes, made of copies of one corpus."""
    import scipy.sparse

    from sonmf import simulate
    from sonmf.engines.blocks import save_csr

    once = simulate.corpus(2000, WORDS, random_state=0)
    copies = 1 + size // (once.data.nbytes + once.indices.nbytes)
    save_csr(folder, scipy.sparse.vstack([once] * copies, format="csr"))
    return {"bytes": sum(file.stat().st_size for file in Path(folder).iterdir())}


def fit(folder: str, memory: int) -> dict[str, Any]:
    """Fit with no more memory to allocate than the budget leaves above what the process holds."""
    from sonmf import SONMF, simulate
    from sonmf.engines.blocks import open_blocks

    warnings.simplefilter("ignore")
    SONMF(TOPICS, init="random", max_iter=2).fit(simulate.corpus(5000, WORDS, random_state=0))  # loads libraries and buffers
    X = open_blocks(folder, memory)
    limit = _status("VmData") + memory - _status("VmRSS")
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    model = SONMF(TOPICS, init="random", random_state=0, max_iter=5, tol=0)
    took = seconds(lambda: model.fit(X))
    return {"seconds": took / model.n_passes_, "peak": _status("VmHWM"), "blocks": len(X.readers)}


def _status(name: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))


JOBS = {f.__name__: f for f in (write, fit)}


def main(memory: str) -> None:
    from sonmf.engines.blocks import parse_bytes

    budget = parse_bytes(memory)
    say(f"{machine()}\n")
    with tempfile.TemporaryDirectory() as folder:
        size = in_process(__file__, "write", threads=2, folder=folder, size=4 * budget)["bytes"]
        r = in_process(__file__, "fit", threads=2, folder=folder, memory=budget)
    say(f"{size / 1e6:.0f} MB on disk, {size / budget:.1f} times the memory of {memory}; {r['blocks']} blocks, K={TOPICS}")
    say(f"{r['seconds']:.2f} s a pass; peak of the whole process {r['peak'] / 1e6:.0f} MB (at most {budget / 1e6:.0f}: "
        f"{verdict(r['peak'], budget, at_most=True)})")  # fmt: skip


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--memory", default="420MB", help="what the process may use in all (default 420MB)")
    if options := asked(parser, JOBS):
        main(options.memory)
