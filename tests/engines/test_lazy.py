"""What is optional stays unimported until X asks for it."""

from __future__ import annotations

import subprocess
import sys

CODE = """
import sys, warnings
from sonmf import BinarySONMF, SONMF, simulate

warnings.simplefilter("ignore")
X = simulate.corpus(60, 30, random_state=0)
SONMF(2).fit(X).transform(X)
BinarySONMF(2, max_iter=2).fit(X > 0)
print([name for name in ("dask", "distributed", "torch", "triton", "pyarrow.parquet") if name in sys.modules])
"""


def test_a_fit_in_memory_imports_neither_dask_nor_torch():
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr
