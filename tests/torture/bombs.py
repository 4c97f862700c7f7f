"""Inputs that are cheap to send and expensive to open take bounded memory and time, and others are still answered."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
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
        **{make.__name__: upload("x.xlsx", make) for make in built.WORKBOOKS},
        "wide_csv": upload("x.csv", built.wide_csv),
        "twice_named_csv": upload("x.csv", built.twice_named_csv),
        "many_probabilities": body("beds", built.many_probabilities),
        "probabilities at the limit": body("beds", lambda: built.many_probabilities(999_998)),
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
        **{make.__name__: ("x.xlsx", make) for make in built.WORKBOOKS},
        "wide_csv": ("x.csv", lambda: built.wide_csv(100_000)),
    }


class Cost(NamedTuple):
    """What one bomb took, and what went wrong meanwhile."""

    seconds: float
    memory: float
    fault: str = ""


class Watch:
    """The most memory that the processes of a session had together, looked at now and then until ``stop``."""

    def __init__(self, session: int, and_ask: Callable[[], Any] = lambda: None) -> None:
        self.most, self.fault, self.began = 0.0, "", time.monotonic()
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

    def stop(self, wrong: str) -> Cost:
        """What there is to say of a bomb that has ended, and had this fault."""
        seconds = time.monotonic() - self.began
        self.over.set()
        self.thread.join()
        fault = self.fault or (f"{self.most / 1e9:.1f} GB" if self.most > MEMORY else wrong)
        return Cost(seconds, self.most, fault)


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
    command = process("serve", place / "model.sonmf", "--port", 0, "--max-note", 1)
    with running(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, also=_limited) as server:
        greeting = server.stdout.readline() if server.stdout else ""
        yield Server(greeting.split()[-4], server.pid)


def sent(bomb: Bomb, place: Path) -> Cost:
    """Of one bomb, for a server of its own."""
    with serving(place) as server:
        watch = Watch(server.session, lambda: httpx.get(f"{server.address}healthz", timeout=OTHERS))
        try:
            answer = bomb(server.address)
            wrong = f"status {answer.status_code}" if answer.status_code in (500, 502, 504) else ""
        except httpx.TimeoutException:
            wrong = "no answer"
        except (httpx.HTTPError, OSError):
            wrong = ""  # the server may hang up on whoever misbehaves
        return watch.stop(wrong)


def opened(name: str, make: Callable[[], bytes], place: Path) -> Cost:
    """Of ``sonmf predict`` of one bomb."""
    (place / "model.sonmf").write_bytes(model_bytes())
    (place / name).write_bytes(make())
    command = process("predict", place / "model.sonmf", place / name, "-o", place / "out.csv")
    with (place / "errors.txt").open("w+") as errors:
        with running(command, stdout=subprocess.DEVNULL, stderr=errors, also=_limited) as run:
            watch = Watch(run.pid)
            with suppress(subprocess.TimeoutExpired):
                run.wait(timeout=SECONDS)
            code = run.poll()
        errors.seek(0)
        last = errors.read().rstrip().rpartition("\n")[2]
        wrong = "" if code in (0, 2) else "no end" if code is None else f"exit code {code}"
        return watch.stop(wrong or ("" if code == 0 or last.startswith("sonmf: ") else "no sentence"))


def attack(scale: float, seed: int) -> Outcome:
    """Every bomb to the page and to the command line, or a share of them."""
    costs: list[Cost] = []
    outcome = counted(trials(scale, seed, costs))
    return outcome._replace(gigabytes=max(cost.memory for cost in costs) / 1e9, seconds=max(cost.seconds for cost in costs))


def trials(scale: float, seed: int, costs: list[Cost]) -> Iterator[str]:
    """Faults; the costs are added to a list."""
    trial: list[tuple[str, Callable[[Path], Cost]]] = [
        *((f"{name} sent", partial(sent, bomb)) for name, bomb in served().items()),
        *((f"{name} opened", partial(opened, *file)) for name, file in left().items()),
    ]
    random = np.random.default_rng(seed)
    count = max(1, round(ROUNDS * scale * len(trial)))
    for i in random.permutation(max(count, len(trial)))[:count] % len(trial):
        name, work = trial[i]
        with folder() as place:
            costs.append(cost := work(place))
        print(f"  {name}: {cost.memory / 1e9:.2f} GB, {cost.seconds:.1f} s {cost.fault}", file=sys.stderr, flush=True)
        yield f"{name}: {cost.fault}" if cost.fault else ""
