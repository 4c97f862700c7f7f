"""Notes scored over HTTP by one worker on this machine: how many a second, and how long one waits.

python benchmarks/web.py [--rate 200] [--seconds 10]

Notes are sent at their times whether or not the earlier ones are answered, and the wait is counted from that time.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from common import machine, say, table, verdict

CONNECTIONS = 8
LONGEST_P99 = 50.0  # milliseconds


def fit(path: Path) -> None:
    from sonmf.datasets import make_triage_notes
    from sonmf.triage import TriageModel

    frame = make_triage_notes(5000, random_state=0)
    TriageModel(n_topics=50).fit(frame["note"], frame["disposition"], frame["complaint"]).save(path)


def requests(n: int, path: str, port: int) -> list[bytes]:
    """Distinct notes, ready to send."""
    from sonmf.datasets import make_triage_notes

    frame = make_triage_notes(n, random_state=1)
    return [
        request(path, port, {"note": note, "complaint": name})
        for note, name in zip(frame["note"], frame["complaint"], strict=True)
    ]


def request(path: str, port: int, fields: dict[str, str]) -> bytes:
    body = json.dumps(fields).encode()
    head = [
        f"POST {path} HTTP/1.1",
        f"Host: 127.0.0.1:{port}",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
    ]
    return "\r\n".join([*head, "", ""]).encode() + body


async def ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, message: bytes) -> None:
    writer.write(message)
    head = await reader.readuntil(b"\r\n\r\n")
    length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
    answer = json.loads(await reader.readexactly(length))
    assert head.startswith(b"HTTP/1.1 200"), answer


async def load(port: int, messages: list[bytes], rate: float) -> tuple[list[float], float]:
    """Milliseconds from the time a note was due to its answer, and answers a second."""
    due: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()
    waits: list[float] = []

    async def connection() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        while True:
            at, message = await due.get()
            await ask(reader, writer, message)
            waits.append(1000 * (time.perf_counter() - at))
            due.task_done()

    workers = [asyncio.create_task(connection()) for _ in range(CONNECTIONS)]
    start = time.perf_counter()
    for k, message in enumerate(messages):
        at = start + k / rate
        await asyncio.sleep(max(0.0, at - time.perf_counter()))
        due.put_nowait((at, message))
    await due.join()
    answered = len(messages) / (time.perf_counter() - start)
    for worker in workers:
        worker.cancel()
    return waits, answered


def row(port: int, path: str, rate: float, seconds: float) -> tuple[list[str], float, float]:
    waits, answered = asyncio.run(load(port, requests(round(rate * seconds), path, port), rate))
    middle, late = np.percentile(waits, [50, 99])
    return [path, f"{rate:.0f}", f"{answered:.1f}", f"{middle:.1f}", f"{late:.1f}", f"{max(waits):.1f}"], answered, late


def measure(rate: float, seconds: float) -> None:
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder, "model.sonmf")
        fit(model)
        command = [sys.executable, "-m", "sonmf.cli", "serve", str(model), "--port", "0"]
        server: Any = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            port = int(server.stdout.readline().rpartition("/ ")[0].rpartition(":")[2])
            score, explain = (row(port, f"/api/v1/{path}", rate, seconds) for path in ("score", "explain"))
        finally:
            server.terminate()
            server.wait()
    say(table(["path", "asked/s", "answered/s", "p50 ms", "p99 ms", "longest ms"], [score[0], explain[0]]))
    _, answered, late = score
    say(f"\n   score: at least {0.99 * rate:.0f} answered a second: {verdict(answered, 0.99 * rate)}")
    say(f"   score: p99 at most {LONGEST_P99:.0f} ms: {verdict(late, LONGEST_P99, at_most=True)}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rate", type=float, default=200, help="notes a second (default 200)")
    parser.add_argument("--seconds", type=float, default=10, help="for each path (default 10)")
    options = parser.parse_args()
    say(f"{machine()}\n\none worker, {CONNECTIONS} connections, distinct notes, {options.seconds:.0f} s for each path")
    measure(options.rate, options.seconds)
