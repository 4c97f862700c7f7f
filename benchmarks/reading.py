"""What it costs to read a text with ``sonmf.sources``, pandas and pyarrow, and what each does with broken files.

python benchmarks/reading.py --rows 400000
"""

from __future__ import annotations

import argparse
import io
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

HEADER = "id,note,complaint,disposition,age,heart_rate,ward,ambulance"
NOTE = "pt c/o cough x3d, fever, sob, denies chest pain, hx of chf and copd, here w/ daughter"
BROKEN = {
    "a row that is too short": b"id,note\n1,x\n2\n3,y\n",
    "a row that is too long": b"id,note\n1,x\n2,y,z\n3,y\n",
    "a quotation mark that is never closed": b'id,note\n1,"open\n2,x\n',
    "text after a closing quotation mark": b'id,note\n1,"a"b\n2,x\n',
}


def ours(file: Any) -> int:
    from sonmf.sources import open_file

    return sum(len(part) for part in open_file(file).chunks())


def with_pandas(file: Any) -> int:
    import pandas as pd

    parts = pd.read_csv(file.open("rb"), chunksize=20_000, dtype=object, keep_default_na=False, na_values=[""])
    return sum(len(part) for part in parts)


def with_pyarrow(file: Any) -> int:
    import pyarrow as pa
    from pyarrow import csv

    header = file.open("rb").readline().decode().strip().split(",")
    convert = csv.ConvertOptions(column_types=dict.fromkeys(header, pa.string()), null_values=[""], strings_can_be_null=True)
    reader = csv.open_csv(
        file.open("rb"),
        read_options=csv.ReadOptions(use_threads=False),
        parse_options=csv.ParseOptions(newlines_in_values=True),
        convert_options=convert,
    )
    return sum(len(batch.to_pandas()) for batch in reader)


WAYS: dict[str, Callable[[Any], int]] = {"sonmf.sources": ours, "pandas": with_pandas, "pyarrow": with_pyarrow}


class Sent:
    """Bytes as a file."""

    name = "x.csv"

    def __init__(self, data: bytes) -> None:
        self.data = data

    def __str__(self) -> str:
        return self.name

    def open(self, mode: str) -> io.BytesIO:
        """From the start."""
        return io.BytesIO(self.data)


def written(rows: int, folder: str) -> Path:
    path = Path(folder, "notes.csv")
    with path.open("w") as file:
        file.write(f"{HEADER}\n")
        for k in range(rows):
            file.write(f'{k:07d},"{NOTE} {k}",Cough,admitted,{k % 90},80,W{k % 7},Y\n')
    return path


def timed(way: str, path: Path) -> str:
    """Seconds and megabytes of a process that does nothing else."""
    found = subprocess.run([sys.executable, __file__, "--one", way, str(path)], check=True, capture_output=True, text=True)
    return found.stdout.strip()


def one(way: str, path: Path) -> None:
    import pandas  # noqa: F401 what all three need
    import pyarrow  # noqa: F401

    before, began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.perf_counter()
    WAYS[way](path)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(f"{time.perf_counter() - began:.2f} s, {grown / 1024:.0f} MB more than before")


def judged(way: Callable[[Any], int], data: bytes) -> str:
    try:
        return f"{way(Sent(data))} rows"
    except Exception as error:
        return f"refused: {str(error).splitlines()[0]}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=400_000)
    parser.add_argument("--one", nargs=2)
    asked = parser.parse_args()
    if asked.one:
        one(asked.one[0], Path(asked.one[1]))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = written(asked.rows, folder)
        print(f"{asked.rows:,} rows, {path.stat().st_size / 1e6:.0f} MB")
        for name in WAYS:
            print(f"  {name}: {timed(name, path)}")
    for what, data in BROKEN.items():
        print(what)
        for name, way in WAYS.items():
            print(f"  {name}: {judged(way, data)}")


if __name__ == "__main__":
    main()
