"""Parquet of a stranger, unpacked by a process of its own: a few bytes can stand for gigabytes, and only the system can say no.

The process gets a line of JSON and the file, and answers with lines of JSON: a ``Part`` each, or an object with an error. Its
memory and its time are bounded by the system, and it is killed when nobody waits for its answer.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from io import BytesIO
from typing import Any

from sonmf.sources import PatientColumns
from sonmf.sources.parquet import Parquet
from sonmf.web.uploads import Part, Upload

MEMORY = 200_000_000  # bytes for the decoder itself, beside three times the limit of what it unpacks
SECONDS = 60  # of a processor
ALONE = {"ARROW_DEFAULT_MEMORY_POOL": "system", "MALLOC_ARENA_MAX": "1", "OMP_NUM_THREADS": "1"}
"""Settings with which a process asks for no more memory than it needs."""


def unpacked(upload: Upload, columns: PatientColumns, rows: int) -> Iterator[Part]:
    """Parts of a Parquet file of at most so many rows."""
    order = json.dumps({"sent": upload.sent, "limit": upload.limit, "columns": columns, "rows": rows})
    command, pipe = [sys.executable, "-m", "sonmf.web.unpacking"], subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, env=os.environ | ALONE) as process:
        upload.stopping.append(process.kill)
        try:
            yield from _answers(upload, process, order.encode() + b"\n")
        finally:
            process.kill()


def _answers(upload: Upload, process: subprocess.Popen[bytes], order: bytes) -> Iterator[Part]:
    assert process.stdin is not None
    assert process.stdout is not None
    with suppress(BrokenPipeError), process.stdin:
        process.stdin.write(order)
        process.stdin.write(upload.data)
    for line in process.stdout:
        upload.check()
        found = json.loads(line)
        if isinstance(found, dict):
            raise ValueError(found["error"])
        yield Part(*found)
    upload.check()
    if process.wait():  # the system ended it
        raise ValueError(upload.too_large)


def main() -> None:
    """What the process does."""
    order = json.loads(sys.stdin.buffer.readline())
    upload = _Received(order["sent"], sys.stdin.buffer.read(), order["limit"], SECONDS)
    try:
        for part in _parts(upload, PatientColumns(*order["columns"]), order["rows"]):
            _say(part)
    except MemoryError:
        _say({"error": upload.too_large})
    except ValueError as error:
        _say({"error": str(error)})


def _say(found: Any) -> None:
    sys.stdout.write(json.dumps(found, default=_plain) + "\n")
    sys.stdout.flush()


def _plain(value: Any) -> str:
    """Dates and other cells as text."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


class _Received(Upload):
    def open(self, mode: str) -> Any:
        """To read from any place."""
        return BytesIO(self.data)


def _parts(upload: _Received, columns: PatientColumns, rows: int) -> Iterator[Part]:
    from pyarrow import set_cpu_count, set_io_thread_count

    set_cpu_count(1)
    set_io_thread_count(1)
    _bound(3 * upload.limit + MEMORY)
    source = Parquet(upload)
    chosen = columns.among(source)
    count, size = source.declared(chosen.needed)
    upload.check_rows(count)
    upload.check_size(size)
    read = size = 0
    for batch in source.batches(rows, chosen.needed):
        read, size = read + batch.num_rows, size + batch.nbytes
        upload.check_size(size)
        yield Part.of(chosen, batch.to_pydict(), read / count)


def _bound(memory: int) -> None:
    """So much memory more than now, and so much time; where the system can do it, which Linux can."""
    with suppress(ImportError, OSError, ValueError):
        import resource
        from pathlib import Path

        pages = int(Path("/proc/self/statm").read_text().split()[0])
        most = pages * resource.getpagesize() + memory
        for kind, limit in ((resource.RLIMIT_AS, most), (resource.RLIMIT_CPU, SECONDS), (resource.RLIMIT_CORE, 0)):
            resource.setrlimit(kind, (limit, limit))


if __name__ == "__main__":
    main()
