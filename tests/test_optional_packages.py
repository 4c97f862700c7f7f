"""Without an optional package everything else can be imported, and what cannot says which package it lacks."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

GROUPS = [["torch", "triton"], ["dask", "distributed"], ["sqlalchemy", "psycopg"], ["matplotlib", "pyarrow"]]
IMPORT_EVERYTHING = """
import importlib, json, os, pkgutil, sys
import numba, pandas, scipy.stats, sklearn.utils.estimator_checks  # which every group needs: imported once, before the forks
import sonmf

class Blocked:
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] in blocked:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

def lacking():
    for module in pkgutil.walk_packages(sonmf.__path__, "sonmf."):
        try:
            importlib.import_module(module.name.removesuffix(".__main__"))
        except ModuleNotFoundError as error:
            yield module.name, error.name.partition(".")[0]

sys.meta_path.insert(0, Blocked)
for group in json.loads(sys.argv[1]):
    blocked = {*group, "torch", "triton"}  # torch takes seconds to import, where it is installed
    if os.fork() == 0:
        for loaded in [name for name in sys.modules if name.partition(".")[0] in blocked]:
            del sys.modules[loaded]
        print(json.dumps(dict(lacking())), flush=True)
        os._exit(0)
    os.wait()
"""
BEHIND_THE_DOOR = ("sonmf.engines.", "sonmf.estimators.", "sonmf.kernels.")
"""Rooms that ``kernels.kinds`` opens when an X of another kind arrives."""


def test_without_a_package_everything_else_is_imported():
    command = [sys.executable, "-c", IMPORT_EVERYTHING, json.dumps(GROUPS)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    for group, line in zip(GROUPS, done.stdout.splitlines(), strict=True):
        lacking = json.loads(line)  # by module, the package that it lacks
        assert set(lacking.values()) <= {*group, "torch", "triton"}, group
        assert [name for name in lacking if not name.startswith(BEHIND_THE_DOOR)] == [], group


DOES_WITHOUT_THE_REST = {
    "text": """
from sonmf.datasets import make_triage_notes
notes = make_triage_notes(60, random_state=0)["note"]
vectorizer = sonmf.text.NotesVectorizer(stem=True).fit(notes)
sonmf.text.measurements(notes)
print(sonmf.text.top_words(sonmf.SONMF(2).fit(vectorizer.transform(notes)), vectorizer.get_feature_names_out())[0])
""",
    "plots": """
import matplotlib
matplotlib.use("Agg")
print(sonmf.plot.topics(sonmf.SONMF(2).fit(np.random.default_rng(0).random((30, 8))), list("abcdefgh")))
""",
    "server": """
import sonmf.cli.app, sonmf.web
notes = sonmf.datasets.make_triage_notes(300, complaints=["Cough"], random_state=0)
model = sonmf.triage.TriageModel(n_topics=2, outcome_axes=0).fit(notes["note"], notes["disposition"])
model.save("model.sonmf")
print(sonmf.triage.TriageModel.load("model.sonmf").predict_proba(["fever"]))
""",
}
HIDDEN = """
import sys
class Blocked:
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] in {}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Blocked)
import numpy as np, sonmf
"""


def packages_of(extra):
    """What an extra of pyproject.toml installs, by its names on import."""
    extras = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    modules = {distribution.lower(): module for module, many in packages_distributions().items() for distribution in many}
    found = set()
    for requirement in extras[extra]:
        name, others = re.match(r"([\w-]+)(?:\[([\w,]+)\])?", requirement).groups()
        if name == "sonmf":
            found = found.union(*map(packages_of, others.split(",")))
        else:
            found.add(modules[name.lower()])
    return found


@pytest.mark.parametrize("extra", DOES_WITHOUT_THE_REST)
def test_an_extra_needs_nothing_of_the_others(extra, tmp_path):
    code = HIDDEN.format(packages_of("app") - packages_of(extra)) + DOES_WITHOUT_THE_REST[extra]
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_picture_without_matplotlib_names_the_extra():
    draw = DOES_WITHOUT_THE_REST["plots"].partition("print")[2]
    code = f"{HIDDEN.format({'matplotlib'})}\nprint{draw}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "python -m pip install 'sonmf[plots]'" in done.stderr.splitlines()[-1]


@pytest.mark.parametrize("package", ["jinja2", "msgspec"])
def test_a_page_of_topics_without_a_package_names_the_extra(package):
    draw = "X = np.random.default_rng(0).random((30, 8))\nsonmf.plot.explore(sonmf.SONMF(3).fit(X), X, list('abcdefgh'))"
    done = subprocess.run([sys.executable, "-c", f"{HIDDEN.format({package})}\n{draw}"], capture_output=True, text=True)
    assert "python -m pip install 'sonmf[server]'" in done.stderr.splitlines()[-1]


@pytest.mark.parametrize(("package", "verb"), [("msgspec", "demo"), ("matplotlib", "reproduce table1")])
def test_a_verb_without_a_package_names_the_extra(package, verb, tmp_path):
    code = f"{HIDDEN.format({package})}\nsys.argv = {['sonmf', *verb.split()]}\nfrom sonmf.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert package in done.stderr
    assert "python -m pip install 'sonmf[app]'" in done.stderr
    assert len(done.stderr.splitlines()) == 1
