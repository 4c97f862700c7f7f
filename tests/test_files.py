"""A file is the old one or the new one: whoever is killed, whatever the disk says, whatever the target is."""

from __future__ import annotations

import errno
import os
import resource
import signal
import stat
import subprocess
import sys

import pytest

from sonmf import files


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_a_file_is_the_old_one_or_the_new_one(tmp_path):
    path = tmp_path / "deep" / "file.txt"
    assert files.replace(path, lambda partial: partial.write_text("old")) == 3

    def fails(partial):
        partial.write_text("half")
        raise RuntimeError("no")

    with pytest.raises(RuntimeError):
        files.replace(path, fails)
    assert path.read_text() == "old"
    assert names(path.parent) == ["file.txt"]


@pytest.mark.parametrize("before", [0o600, 0o640, 0o644, 0o755])
def test_a_file_that_is_replaced_keeps_its_mode(tmp_path, before):
    path = tmp_path / "file.txt"
    path.write_text("old")
    path.chmod(before)
    files.replace(path, lambda partial: partial.write_text("new"))
    assert (path.read_text(), mode(path)) == ("new", before)


@pytest.mark.parametrize(("mask", "expected"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_a_new_file_follows_the_umask(tmp_path, mask, expected):
    before = os.umask(mask)
    try:
        files.replace(tmp_path / "file.txt", lambda partial: partial.write_text("new"))
    finally:
        os.umask(before)
    assert mode(tmp_path / "file.txt") == expected


def test_a_partial_file_is_hidden_and_for_its_owner_alone_and_keeps_the_ending(tmp_path):
    seen = []

    def save(partial):
        partial.write_text("half")
        seen.append((partial.name.startswith("."), partial.name.endswith(".csv.gz"), partial.parent, mode(partial)))

    files.replace(tmp_path / "file.csv.gz", save)
    assert seen == [(True, True, tmp_path, 0o600)]


@pytest.mark.parametrize("there", [True, False])
def test_a_link_stays_and_what_it_points_to_is_replaced(tmp_path, there):
    (tmp_path / "far").mkdir()
    if there:
        (tmp_path / "far" / "file.txt").write_text("old")
    (tmp_path / "one.txt").symlink_to("far/file.txt")
    (tmp_path / "two.txt").symlink_to("one.txt")
    files.replace(tmp_path / "two.txt", lambda partial: partial.write_text("new"))
    assert (tmp_path / "far" / "file.txt").read_text() == "new"
    assert not (tmp_path / "far" / "file.txt").is_symlink()
    assert (tmp_path / "one.txt").is_symlink()
    assert (tmp_path / "two.txt").is_symlink()
    assert names(tmp_path / "far") == ["file.txt"]


WRITER = """
import sys, time
from pathlib import Path
from sonmf import files

def save(partial):
    partial.write_text("half")
    print("begun", flush=True)
    time.sleep(60)

files.replace(Path(sys.argv[1]), save)
"""


def writing(path):
    """A process in the middle of writing a file."""
    process = subprocess.Popen([sys.executable, "-c", WRITER, path], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "begun\n"
    return process


def end(process):
    process.send_signal(signal.SIGKILL)
    process.communicate()


def test_what_a_killed_process_left_goes_with_the_next_one_and_what_a_living_one_writes_stays(tmp_path):
    path = tmp_path / "file.txt"
    dead, alive, other = writing(path), writing(path), writing(tmp_path / "other-file.txt")
    try:
        end(dead)
        end(other)
        assert len(names(tmp_path)) == 3
        files.replace(path, lambda partial: partial.write_text("new"))
        assert path.read_text() == "new"
        left = [name for name in names(tmp_path) if name != "file.txt"]
        assert [name.split("-", 2)[2] for name in left] in (["file.txt", "other-file.txt"], ["other-file.txt", "file.txt"])
    finally:
        end(alive)
    files.replace(path, lambda partial: partial.write_text("newer"))
    files.replace(tmp_path / "other-file.txt", lambda partial: partial.write_text("newer"))
    assert names(tmp_path) == ["file.txt", "other-file.txt"]


def test_file_and_folder_are_on_the_disk_before_and_after_the_name_changes(tmp_path, monkeypatch):
    path, events = tmp_path / "file.txt", []
    path.write_text("old")
    fsync, rename = os.fsync, os.replace
    monkeypatch.setattr(
        os, "fsync", lambda fd: events.append("folder" if stat.S_ISDIR(os.fstat(fd).st_mode) else "file") or fsync(fd)
    )
    monkeypatch.setattr(os, "replace", lambda a, b: events.append("rename") or rename(a, b))
    files.replace(path, lambda partial: partial.write_text("new"))
    assert events == ["file", "rename", "folder"]


REFUSALS = {
    errno.ENOSPC: "free some space",
    errno.EDQUOT: "free some space",
    errno.EROFS: "choose a place that can be written to",
    errno.EACCES: "check who may read and write it",
}


@pytest.mark.parametrize("number", REFUSALS)
@pytest.mark.parametrize("where", ["open", "write", "fsync"])
def test_a_disk_that_refuses_is_named_with_the_file_and_the_remedy(tmp_path, monkeypatch, number, where):
    path = tmp_path / "file.txt"
    path.write_text("old")

    def refuses(*arguments):
        raise OSError(number, os.strerror(number), arguments[0] if where == "open" else None)

    if where == "open":
        opens = os.open
        monkeypatch.setattr(
            os, "open", lambda name, flags, *rest: (refuses if flags & os.O_CREAT else opens)(name, flags, *rest)
        )
    if where == "fsync":
        monkeypatch.setattr(os, "fsync", refuses)
    with pytest.raises(OSError, match=r"file\.txt") as caught:
        files.replace(path, refuses if where == "write" else lambda partial: partial.write_text("new"))
    said = files.sentence(caught.value)
    assert said.startswith(f"{path}: {os.strerror(number)}; {REFUSALS[number]}")
    assert path.read_text() == "old"
    assert names(tmp_path) == ["file.txt"]


def test_an_input_that_cannot_be_read_keeps_its_own_name(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"input\.csv"):
        files.replace(tmp_path / "file.txt", lambda partial: (tmp_path / "input.csv").read_text())
    assert names(tmp_path) == []


def test_a_file_that_nobody_writes_any_more_is_removed_even_if_nothing_is_in_it(tmp_path):
    (tmp_path / ".partial-01234567-file.txt").touch()
    (tmp_path / ".partial-mine").touch()
    files.replace(tmp_path / "file.txt", lambda partial: partial.write_text("new"))
    assert names(tmp_path) == [".partial-mine", "file.txt"]


COUNTER = """
import sys
from pathlib import Path
from sonmf import files

folder = Path(sys.argv[1])
for _ in range(50):
    with files.locked(folder):
        count = folder / "count"
        count.write_text(str(int(count.read_text()) + 1))
"""


def test_a_locked_folder_has_one_process_inside(tmp_path):
    (tmp_path / "count").write_text("0")
    command = [sys.executable, "-c", COUNTER, tmp_path]
    for process in [subprocess.Popen(command) for _ in range(3)]:
        assert process.wait(timeout=60) == 0
    assert (tmp_path / "count").read_text() == "150"


def test_a_folder_behind_a_link_is_locked(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder")
    with files.locked(tmp_path / "link"):
        pass


REPLACER = """
import sys
from pathlib import Path
from sonmf import files

def save(partial):
    partial.write_text("half")
    raise RuntimeError

path = Path(sys.argv[1])
files.replace(path, lambda partial: partial.write_text("new"))
try:
    files.replace(path, save)
except RuntimeError:
    pass
assert path.read_text() == "new"
"""


def test_a_file_is_replaced_while_another_process_writes_it(tmp_path):
    path = tmp_path / "file.txt"
    stale = tmp_path / ".partial-01234567-file.txt"
    stale.touch()
    alive = writing(path)
    try:
        subprocess.run([sys.executable, "-c", REPLACER, path], check=True, timeout=60)
        assert len(names(tmp_path)) == 2  # the stale one is gone, and that of the living process is not
    finally:
        end(alive)


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo])
def test_what_is_no_file_on_a_disk_is_refused_at_once_and_closed_again(tmp_path, make):
    make(tmp_path / "names.json")
    before = os.dup(0)
    os.close(before)
    with pytest.raises(OSError, match="not a file on a disk"):
        files.read_regular(tmp_path / "names.json", 100)
    after = os.dup(0)
    os.close(after)
    assert after == before  # the lowest number that is free


DYING = """
import os, resource, signal
from sonmf.files import leave_no_core_dump
leave_no_core_dump()
print(resource.getrlimit(resource.RLIMIT_CORE)[0], flush=True)
os.kill(os.getpid(), signal.SIGABRT)
"""


def test_a_process_that_is_killed_leaves_no_core_dump(tmp_path):
    command = [sys.executable, "-c", DYING]
    run = subprocess.run(command, cwd=tmp_path, preexec_fn=_as_much_as_allowed, timeout=60, check=False, stdout=subprocess.PIPE)
    assert run.returncode == -signal.SIGABRT
    assert int(run.stdout) <= 1  # a system may write dumps elsewhere
    assert os.listdir(tmp_path) == []


def _as_much_as_allowed():
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))
