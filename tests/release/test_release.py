"""What may be released, and what is in it."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

ROOT = Path(__file__).parents[2]
AGREED = {
    "src/sonmf/__init__.py": '__version__ = "1.2.3"\n',
    "CHANGELOG.md": "# Changelog\n\n## 1.2.3 (2026-12-01)\n\n## 1.2.2 (2026-11-01)\n",
    "CITATION.cff": "cff-version: 1.2.0\nversion: 1.2.3\n",
    "docs/citing.md": "@software{sonmf,\n  version = {1.2.3},\n}\n",
}


def script(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / ".ci" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def git(root, *words):
    me = ("-c", "user.name=me", "-c", "user.email=me@example.org")
    subprocess.run(["git", "-C", str(root), *me, *words], check=True, capture_output=True)


@pytest.fixture
def project(tmp_path):
    """A project in which everything says 1.2.3, committed and tagged."""
    for name, text in AGREED.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--quiet", "--message", "all of it")
    git(tmp_path, "tag", "v1.2.3")
    return tmp_path


def judged(project):
    return subprocess.run([sys.executable, ROOT / ".ci" / "release.py", project], capture_output=True, text=True, check=False)


def test_a_project_that_agrees_with_itself_may_be_released(project):
    assert judged(project).returncode == 0


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("CHANGELOG.md", "## 1.2.3 (2026-12-01)\n", ""),
        ("CHANGELOG.md", "2026-12-01", "unreleased"),
        ("CITATION.cff", "version: 1.2.3", "version: 1.2.2"),
        ("docs/citing.md", "1.2.3", "1.2.2"),
        ("src/sonmf/__init__.py", "1.2.3", "1.2.4"),
    ],
)
def test_a_file_that_names_another_version_stops_the_release(project, name, before, after):
    (project / name).write_text(AGREED[name].replace(before, after))
    git(project, "commit", "--all", "--quiet", "--message", "another version")
    git(project, "tag", "--force", "v1.2.3")
    refused = judged(project)
    assert refused.returncode == 1
    assert (name if name != "src/sonmf/__init__.py" else "CHANGELOG.md") in refused.stderr


def test_a_commit_without_the_tag_stops_the_release(project):
    git(project, "commit", "--allow-empty", "--quiet", "--message", "after the tag")
    assert "does not have the tag v1.2.3" in judged(project).stderr


def test_a_change_that_is_not_committed_stops_the_release(project):
    (project / "stray.txt").write_text("")
    assert "not committed" in judged(project).stderr


@pytest.fixture(scope="module")
def wheel_names():
    """The files that the build puts into the wheel, without building it."""
    return {found.distribution_path for found in WheelBuilder(str(ROOT)).recurse_included_files()}


def test_the_wheel_has_every_file_of_the_package(wheel_names):
    assert script("wheel_files").differences(wheel_names) == []


@pytest.mark.parametrize(
    "name",
    [
        "py.typed",
        "web/templates/base.html",
        "web/static/app.js",
        "datasets/phrase_lists/words.toml",
        "experiments/paper_binary.csv",
    ],
)
def test_a_file_missing_from_the_wheel_is_named(wheel_names, name):
    assert script("wheel_files").differences(wheel_names - {f"sonmf/{name}"}) == [f"missing from the wheel: sonmf/{name}"]
