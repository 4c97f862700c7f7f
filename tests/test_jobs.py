"""Processes that share out work: finished work stays, and nobody outlives a killed parent."""

import json
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest
from processes import PATIENCE, alive, running, wait_until

from sonmf import jobs

SLEEPER = """
import os, signal, sys, time
from pathlib import Path
from sonmf import jobs

def work(task):
    Path(task).write_text(str(os.getpid()))
    time.sleep(3600)

if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    jobs.run(work, {Path(FOLDER, f"{n}.json"): f"{FOLDER}/pid{n}" for n in range(2)}, 2, print)
"""


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_no_worker_outlives_its_parent(tmp_path, request, end):
    script, temporary = tmp_path / "script.py", Path(tempfile.mkdtemp(dir="/tmp"))  # short enough for a socket in it
    request.addfinalizer(lambda: shutil.rmtree(temporary))
    script.write_text(f"FOLDER = {str(tmp_path)!r}\n{SLEEPER}")
    environment = os.environ | {"TMPDIR": str(temporary)}
    with running([sys.executable, script], stderr=subprocess.PIPE, text=True, env=environment) as parent:
        assert wait_until(
            lambda: sum(bool(path.read_text()) for path in tmp_path.glob("pid*")) == 2 or parent.poll() is not None
        )
        assert parent.poll() is None, parent.stderr.read()
        if end == signal.SIGKILL:
            parent.kill()
        else:
            os.killpg(parent.pid, end)  # as Ctrl-C and timeout do
        parent.wait(timeout=PATIENCE)  # nobody waits for the hour that the work takes
        assert wait_until(lambda: not alive(parent.pid))
        if end != signal.SIGKILL:
            assert parent.stderr.read().count("Traceback") == (end == signal.SIGINT)  # that of the script
            assert not list(temporary.iterdir())


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere processes never start as copies of another")
def test_a_temporary_folder_with_a_long_name_costs_only_the_quick_start(monkeypatch):
    def too_long():
        raise OSError("AF_UNIX path too long")

    monkeypatch.setattr("multiprocessing.forkserver.ensure_running", too_long)
    assert jobs._context("json").get_start_method() == "spawn"


STARTS = """
import sys, time
from processes import running
with running([sys.executable, "-c", "import time; time.sleep(3600)"]) as process:
    print(process.pid, flush=True)
    time.sleep(3600)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a process that its parent has died")
def test_what_a_test_starts_ends_when_the_tests_are_killed():
    beside = os.environ | {"PYTHONPATH": str(Path(__file__).parent)}
    with subprocess.Popen([sys.executable, "-c", STARTS], stdout=subprocess.PIPE, text=True, env=beside) as tests:
        started = int(tests.stdout.readline())
        tests.kill()
    assert wait_until(lambda: not alive(started))


UNGUARDED = """
from pathlib import Path
from sonmf import jobs
jobs.run(str, {Path(FOLDER, "a.json"): 1}, 1, print)
"""


def test_a_script_without_a_guard_is_told_so(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(f"FOLDER = {str(tmp_path)!r}\n{UNGUARDED}")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=PATIENCE)
    assert "ChildProcessError: the processes that share the work ended at once: in a script" in done.stderr


FAILS = """
import numba
from pathlib import Path
from sonmf import jobs

def work(task):
    numba.set_num_threads(1)  # starts numba's threads, which have a lock
    raise ValueError("cannot be done")

if __name__ == "__main__":
    jobs.run(work, {Path(FOLDER, f"{n}.json"): n for n in range(4)}, 2, print)
"""


def test_an_error_is_the_last_that_is_said(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(f"FOLDER = {str(tmp_path)!r}\n{FAILS}")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=PATIENCE)
    assert done.stderr.splitlines()[-1] == "ValueError: cannot be done"


def end_at_once(task):
    if task == "end":
        os._exit(9)


def test_a_killed_process_is_told_from_one_that_never_began(tmp_path):
    tasks = {tmp_path / f"{n}.json": task for n, task in enumerate(["work", "end"])}
    with pytest.raises(ChildProcessError, match="was killed, most likely because memory ran out: use fewer processes"):
        jobs.run(end_at_once, tasks, 1, print)
    assert (tmp_path / "0.json").exists()


class UnpicklableError(ValueError):
    def __init__(self, task):
        super().__init__(task)
        self.lock = threading.Lock()


class PickledInVainError(ValueError):
    def __init__(self, first, second):
        super().__init__(first)


def raise_what_cannot_be_sent(task):
    raise UnpicklableError(task) if task else PickledInVainError(task, task)


@pytest.mark.parametrize(("task", "name"), [(0, "PickledInVainError"), (1, "UnpicklableError")])
def test_an_error_that_cannot_be_sent_is_named(tmp_path, task, name):
    with pytest.raises(RuntimeError, match=f"^{name}, an error that cannot be sent") as raised:
        jobs.run(raise_what_cannot_be_sent, {tmp_path / "a.json": task}, 1, print)
    assert "raise_what_cannot_be_sent" in raised.value.__notes__[0]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing of ours starts the processes of a user")
def test_processes_of_the_user_can_still_be_terminated(tmp_path):
    jobs.run(double, {tmp_path / "a.json": 1}, 1, print, (2,))
    process = multiprocessing.get_context("forkserver").Process(target=time.sleep, args=(600,))
    process.start()
    process.terminate()
    process.join(PATIENCE)
    assert process.exitcode == -signal.SIGTERM


def double(task, factor):
    return task * factor


def test_work_that_is_on_disk_is_not_done_again(tmp_path):
    (tmp_path / "a.json").write_text(json.dumps("kept"))
    heard = []
    jobs.run(double, {tmp_path / "a.json": 1, tmp_path / "b.json": 2}, 1, heard.append, (21,))
    assert sorted(heard) == [1, 2]
    assert [json.loads((tmp_path / name).read_text()) for name in ("a.json", "b.json")] == ["kept", 42]


@pytest.mark.parametrize("left", [b"", b"\0" * 40, b'{"a": 1', b"\xff\xfe", b"[" * 10**5, b"null", b"[]"])
def test_work_whose_file_is_empty_or_damaged_is_done_again_and_that_is_said(tmp_path, left):
    (tmp_path / "a.json").write_bytes(left)
    (tmp_path / "b.json").write_text("7")
    heard = []
    with pytest.warns(UserWarning, match=r"a\.json: empty or damaged, so computed again"):
        found = jobs.run(double, {tmp_path / "a.json": 1, tmp_path / "b.json": 2}, 1, heard.append, (21,), int)
    assert sorted(heard) == [1, 2]
    assert list(found.values()) == [21, 7]
    assert json.loads((tmp_path / "a.json").read_text()) == 21


def test_threads_of_processes_are_pinned_only_inside():
    before = dict(os.environ)
    with jobs.one_thread_each():
        assert {os.environ[name] for name in jobs.THREAD_VARIABLES} == {"1"}
    assert dict(os.environ) == before


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="only Linux keeps a process to some of the cores")
def test_only_the_cores_that_the_process_may_use_are_counted():
    before = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(before)})
        assert jobs.cores() == 1
    finally:
        os.sched_setaffinity(0, before)


def test_a_folder_is_claimed_for_one_study_and_one_version(tmp_path, monkeypatch):
    fits = jobs.claim(tmp_path, ["notes", [1.5]])
    assert jobs.claim(tmp_path, ["notes", [1.5]]) == fits
    with pytest.raises(ValueError, match="holds the fits of other notes or settings, or of another version of sonmf"):
        jobs.claim(tmp_path, ["notes", [2.5]])
    monkeypatch.setattr(jobs, "version", lambda _: "9.9")
    with pytest.raises(ValueError, match="or of another version of sonmf"):
        jobs.claim(tmp_path, ["notes", [1.5]])


@pytest.mark.parametrize(("content", "state"), [(None, "missing"), ("", "damaged"), ("{", "damaged")])
def test_fits_of_unknown_data_are_refused(tmp_path, content, state):
    fits = jobs.claim(tmp_path, ["notes"])
    fits.mkdir()
    (fits / "0.json").write_text("1")
    (tmp_path / "study.json").unlink()
    if content is not None:
        (tmp_path / "study.json").write_text(content)
    with pytest.raises(ValueError, match=rf"study\.json is {state}, so it is unknown which data the fits in .* belong to"):
        jobs.claim(tmp_path, ["notes"])
