"""A PostgreSQL server of our own: in a temporary folder, on a socket there, run by a user who is not root, ended by its id."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

USER = "postgres"
PROGRAMS = sorted(Path("/usr/lib/postgresql").glob("*/bin"))


@contextmanager
def server() -> Iterator[str]:
    """The address of an empty database."""
    assert PROGRAMS, "these tests need PostgreSQL: apt-get install postgresql"
    folder = Path(tempfile.mkdtemp(prefix="pg", dir="/tmp"))  # a path that is short enough for a socket
    who = {"user": USER, "group": USER, "extra_groups": []} if os.getuid() == 0 else {}
    if who:
        shutil.chown(folder, USER, USER)
    data, quiet = folder / "data", {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder}
    try:
        begin = [PROGRAMS[-1] / "initdb", "-D", data, "-U", "tester", "-A", "trust", "-E", "UTF8", "--no-sync"]
        subprocess.run(list(map(str, begin)), check=True, timeout=60, **quiet, **who)
        command = [PROGRAMS[-1] / "postgres", "-D", data, "-k", folder, "-h", "", "-F"]
        with subprocess.Popen(list(map(str, command)), **quiet, **who) as process:
            try:
                _wait_for(folder / ".s.PGSQL.5432", process)
                yield f"postgresql://tester@/postgres?host={folder}"
            finally:
                process.send_signal(signal.SIGINT)  # which ends the connections that are left
                process.wait(30)
    finally:
        shutil.rmtree(folder)


def _wait_for(socket: Path, process: subprocess.Popen[bytes]) -> None:
    for _ in range(300):
        if socket.exists():
            return
        assert process.poll() is None, "the server did not start"
        time.sleep(0.1)
    raise TimeoutError("the server did not start within 30 seconds")
