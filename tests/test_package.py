"""What a user meets first: imports that cost nothing, names that are there, files that agree."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

import sonmf

ROOT = Path(__file__).parent.parent


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def test_import_is_lazy():
    heavy = "numpy scipy sklearn numba pandas matplotlib tqdm torch dask"
    assert run(f"import sys, sonmf; print([m for m in '{heavy}'.split() if m in sys.modules])") == "[]"


def test_public_names_arrive_when_used():
    assert run("import sonmf; print(sonmf.SONMF.__name__, sonmf.metrics.__name__, sonmf.simulate.__name__)") == (
        "SONMF sonmf.metrics sonmf.simulate"
    )
    assert set(dir(sonmf)) == set(sonmf.__all__)


def test_an_unknown_name_is_an_attribute_error_that_lists_the_names():
    with pytest.raises(AttributeError, match="no attribute 'SNMF': its names are NMF, ONMF, SONMF"):
        sonmf.SNMF  # noqa: B018


def test_the_version_is_the_same_everywhere():
    citation = (ROOT / "CITATION.cff").read_text()
    assert re.search(r"^version: (.+)$", citation, re.M)[1].strip("\"'") == sonmf.__version__
    assert f"## {sonmf.__version__}" in (ROOT / "CHANGELOG.md").read_text()


PUBLIC = ("metrics", "simulate", "stability", "rank", "plot", "text", "triage", "beds", "datasets", "monitoring")


def public_names(module):
    """What ``__all__`` names; where a module has none, the functions and classes that it defines."""
    found = importlib.import_module(f"sonmf.{module}")
    own = [name for name, value in vars(found).items() if getattr(value, "__module__", "") == found.__name__]
    return [name for name in getattr(found, "__all__", own) if not name.startswith("_")]


@pytest.mark.parametrize("name", [f"{module}.{name}" for module in PUBLIC for name in public_names(module)])
def test_a_public_name_stands_in_the_reference_and_has_an_example(name):
    reference = (ROOT / "docs" / "api" / "index.md").read_text()
    assert re.search(rf"^ +(?:rank\.)?{re.escape(name.removeprefix('rank.'))}$", reference, re.M), (
        f"{name} is not in docs/api/index.md"
    )
    module, _, last = name.partition(".")
    found = getattr(importlib.import_module(f"sonmf.{module}"), last)
    if callable(found) and not issubclass(found if isinstance(found, type) else object, Exception):
        assert ">>>" in (found.__doc__ or ""), f"{name} has no example"
