"""Compressed files are unpacked by a separate process: a few bytes may stand for gigabytes, which only the system can stop.

The process gets a line of JSON and the file. It answers with lines of JSON: the ``FileFacts``, then one ``Part`` a line, or an
object with an error. The system limits its memory and its time, and it is killed when nobody waits for its answer.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress

from sonmf.frames import pandas
from sonmf.sources import PatientColumns, Source, open_file
from sonmf.sources.errors import MissingColumnError
from sonmf.sources.parquet import Parquet
from sonmf.sources.workbook import Workbook
from sonmf.web.uploads import FileFacts, Part, Upload

PACKED = Parquet | Workbook
"""Kinds of files that a process of its own unpacks."""

MEMORY = 200_000_000  # bytes for the decoder itself, beside three times the limit of what it unpacks
SECONDS = 60  # of a processor
ALONE = {"ARROW_DEFAULT_MEMORY_POOL": "system", "MALLOC_ARENA_MAX": "1", "OMP_NUM_THREADS": "1"}
"""Settings with which a process asks for no more memory than it needs."""


def unpack(upload: Upload, columns: PatientColumns, rows: int, preset: str | None = None) -> Iterator[FileFacts | Part]:
    """The facts on the file, then parts of at most ``rows`` rows; read as the data set of the preset, if it looks like one."""
    order = json.dumps({"sent": upload.sent, "limit": upload.limit, "columns": columns, "rows": rows, "preset": preset})
    command, pipe = [sys.executable, "-m", "sonmf.web.unpacking"], subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, env=os.environ | ALONE) as process:
        upload.stopping.append(process.kill)
        try:
            yield from _answers(upload, process, order.encode() + b"\n")
        finally:
            process.kill()


def _answers(upload: Upload, process: subprocess.Popen[bytes], order: bytes) -> Iterator[FileFacts | Part]:
    assert process.stdin is not None
    assert process.stdout is not None
    with suppress(BrokenPipeError), process.stdin:
        process.stdin.write(order)
        process.stdin.write(upload.data)
    for line in process.stdout:
        upload.check()
        found = json.loads(line)
        if isinstance(found, dict):
            raise MissingColumnError(found["error"], found["columns"]) if found["columns"] else ValueError(found["error"])
        yield FileFacts(*found) if len(found) == len(FileFacts._fields) else Part(*found)
    upload.check()
    if process.wait():  # the system ended it
        raise ValueError(upload.too_large)


def main() -> None:
    """The work of the separate process."""
    order = json.loads(sys.stdin.buffer.readline())
    upload = _Received(order["sent"], sys.stdin.buffer.read(), order["limit"], SECONDS)
    try:
        for found in _parts(upload, PatientColumns(*order["columns"]), order["rows"], order["preset"]):
            _say(found)
    except MemoryError:
        _say({"error": upload.too_large, "columns": []})
    except ValueError as error:
        _say({"error": str(error), "columns": getattr(error, "columns", [])})


def _say(found: object) -> None:
    sys.stdout.write(json.dumps(found, default=_plain) + "\n")
    sys.stdout.flush()


def _plain(value: object) -> str:
    """Dates and other cells as text."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


class _Received(Upload):
    def open(self, mode: str) -> io.BufferedReader:
        """To read from any place."""
        return io.BufferedReader(io.BytesIO(self.data))


def _parts(upload: _Received, columns: PatientColumns, rows: int, preset: str | None) -> Iterator[FileFacts | Part]:
    from pyarrow import set_cpu_count, set_io_thread_count

    set_cpu_count(1)
    set_io_thread_count(1)
    file = open_file(upload)
    assert isinstance(file, PACKED)
    if isinstance(file, Workbook) or preset:
        pandas()  # loaded before memory is bounded
    source: Source = file
    if preset is not None:
        from sonmf.sources.presets import as_data_set

        source = as_data_set(file, None, preset)
    _bound(3 * upload.limit + MEMORY)
    chosen = columns.among(source)
    count, size = file.declared(chosen.needed)
    upload.check_rows(count)
    upload.check_size(size)
    yield FileFacts.of(chosen, source)
    read = size = 0
    if not isinstance(source, Parquet):
        for frame in source.chunks(rows, chosen.needed):
            read += len(frame)
            yield Part.of(chosen, frame.to_dict("list"), min(read / count, 1), source.remarks)
        return
    for batch in source.batches(rows, chosen.needed):
        read, size = read + batch.num_rows, size + batch.nbytes
        upload.check_size(size)
        yield Part.of(chosen, batch.to_pydict(), read / count)


def _bound(memory: int) -> None:
    """Limit the memory beyond what is used now, and the time, if the system can: Linux can."""
    with suppress(ImportError, OSError, ValueError):
        import resource
        from pathlib import Path

        pages = int(Path("/proc/self/statm").read_text().split()[0])
        most = pages * resource.getpagesize() + memory
        for kind, limit in ((resource.RLIMIT_AS, most), (resource.RLIMIT_CPU, SECONDS), (resource.RLIMIT_CORE, 0)):
            resource.setrlimit(kind, (limit, limit))


if __name__ == "__main__":
    main()
