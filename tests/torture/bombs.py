"""What is cheap to send and dear to open costs bounded memory and time, and others are answered meanwhile."""

from __future__ import annotations

import json
import resource
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import numpy as np
import torture_web as built
from processes import alive, running

from torture.outcome import Outcome, counted
from torture.world import folder, model_bytes, process

ROUNDS = 3  # over all bombs, for a scale of 1
MEMORY = 2.5e9  # bytes for the server, or a command, with all its processes
ENOUGH = 8 * 2**30  # bytes of address space: where a bomb does go off, this machine survives
SECONDS = 300.0  # for one bomb
OTHERS = 30.0  # seconds that somebody else waits at most
HALF_OPEN = 300  # connections

Bomb = Callable[[str], Any]


def upload(name: str, make: Callable[[], bytes]) -> Bomb:
    headers = {"content-type": "application/octet-stream"}
    return lambda address: _post(f"{address}api/v1/list?name={name}", make(), headers)


def body(path: str, make: Callable[[], bytes]) -> Bomb:
    return lambda address: _post(f"{address}api/v1/{path}", make(), {"content-type": "application/json"})


def note(kind: str) -> Bomb:
    return body("explain", lambda: json.dumps({"note": built.long_notes(900_000)[kind]}, ensure_ascii=False).encode())


def connections(sent: bytes) -> Bomb:
    def hold(address: str) -> Any:
        with built.half_open(address, HALF_OPEN, sent):
            return httpx.get(f"{address}healthz", timeout=OTHERS)

    return hold


def _post(address: str, content: bytes, headers: dict[str, str]) -> Any:
    return httpx.post(address, content=content, headers=headers, timeout=SECONDS)


def served() -> dict[str, Bomb]:
    """What is sent to the page."""
    return {
        **{make.__name__: upload("x.parquet", make) for make in built.PARQUET},
        **{make.__name__: upload("x.csv.gz", make) for make in built.GZIPPED},
        "wide_csv": upload("x.csv", built.wide_csv),
        "twice_named_csv": upload("x.csv", built.twice_named_csv),
        "many_probabilities": body("beds", built.many_probabilities),
        "deep_json": body("score", built.deep_json),
        **{f"note of {kind}": note(kind) for kind in built.long_notes(10)},
        "half-open requests": connections(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "),
        "half-open bodies": connections(built.slow_body()),
        "unread answers": connections(built.many_requests()),
    }


def left() -> dict[str, tuple[str, Callable[[], bytes]]]:
    """What is left as a file for the command line."""
    return {
        **{make.__name__: ("x.parquet", make) for make in built.PARQUET},
        **{make.__name__: ("x.csv.gz", make) for make in built.GZIPPED},
        "wide_csv": ("x.csv", lambda: built.wide_csv(100_000)),
    }


class Watch:
    """The most memory that the processes of a session had together, looked at now and then until ``stop``."""

    def __init__(self, session: int, and_ask: Callable[[], Any] = lambda: None) -> None:
        self.most, self.fault = 0.0, ""
        self.session, self.ask, self.over = session, and_ask, threading.Event()
        self.thread = threading.Thread(target=self._look, daemon=True)
        self.thread.start()

    def _look(self) -> None:
        while not self.over.wait(0.1):
            self.most = max(self.most, sum(map(resident, alive(self.session))))
            try:
                self.ask()
            except (httpx.HTTPError, OSError) as error:
                self.fault = f"nobody else is answered ({type(error).__name__})"

    def stop(self) -> str:
        """What went wrong meanwhile."""
        self.over.set()
        self.thread.join()
        return self.fault or (f"{self.most / 1e9:.1f} GB" if self.most > MEMORY else "")


def resident(pid: int) -> float:
    with suppress(OSError, IndexError):
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096.0
    return 0.0


def _limited() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (ENOUGH, ENOUGH))


class Server(NamedTuple):
    address: str
    session: int


@contextmanager
def serving(place: Path) -> Iterator[Server]:
    """``sonmf serve`` of a small model."""
    (place / "model.sonmf").write_bytes(model_bytes())
    command = process("serve", place / "model.sonmf", "--port", 0)
    with running(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, preexec_fn=_limited) as server:
        greeting = server.stdout.readline() if server.stdout else ""
        yield Server(greeting.split()[-4], server.pid)


def sent(bomb: Bomb, place: Path) -> str:
    """What is wrong while a server of its own takes one bomb."""
    with serving(place) as server:
        watch = Watch(server.session, lambda: httpx.get(f"{server.address}healthz", timeout=OTHERS))
        try:
            answer = bomb(server.address)
            wrong = f"status {answer.status_code}" if answer.status_code in (500, 502, 504) else ""
        except httpx.TimeoutException:
            wrong = "no answer"
        except (httpx.HTTPError, OSError):
            wrong = ""  # the server may hang up on whoever misbehaves
        return watch.stop() or wrong


def opened(name: str, make: Callable[[], bytes], place: Path) -> str:
    """What is wrong with ``sonmf predict`` of one bomb."""
    (place / "model.sonmf").write_bytes(model_bytes())
    (place / name).write_bytes(make())
    command = process("predict", place / "model.sonmf", place / name, "-o", place / "out.csv")
    with running(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=_limited) as run:
        watch = Watch(run.pid)
        began = time.monotonic()
        with suppress(subprocess.TimeoutExpired):
            run.wait(timeout=SECONDS)
        wrong = "" if run.poll() in (0, 2) else f"exit code {run.poll()} after {time.monotonic() - began:.0f} s"
        return watch.stop() or wrong


def attack(scale: float, seed: int) -> Outcome:
    """Every bomb to the page and to the command line, or a share of them."""
    return counted(trials(scale, seed))


def trials(scale: float, seed: int) -> Iterator[str]:
    trial = [(f"{name} sent", lambda place, b=bomb: sent(b, place)) for name, bomb in served().items()]
    trial += [(f"{name} opened", lambda place, f=file: opened(*f, place)) for name, file in left().items()]
    random = np.random.default_rng(seed)
    count = max(1, round(ROUNDS * scale * len(trial)))
    for i in random.permutation(max(count, len(trial)))[:count] % len(trial):
        with folder() as place:
            name, work = trial[i]
            fault = work(place)
            yield f"{name}: {fault}" if fault else ""
