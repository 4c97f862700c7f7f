"""Private names of other packages stand in two files, and each of them is still there."""

from __future__ import annotations

import ast
import importlib
from importlib.metadata import version
from pathlib import Path

import pytest

SRC = Path(__file__).parent.parent / "src" / "sonmf"
SHIMS = {SRC / "sklearn_private.py", SRC / "llvm.py"}
UNPROMISED = ("llvmlite", "numba.core", "numba.extending", "sklearn.utils._param_validation")
DISTRIBUTIONS = {"sklearn": "scikit-learn"}


def imported(path):
    """(module, name) of what a file imports; a module as a whole has no name."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.module, alias.name) for alias in node.names)


def is_private(module, name):
    if module.partition(".")[0] in (
        "sonmf",
        "__future__",
        "_typeshed",
    ):  # the last is how types of the standard library are named
        return False
    parts = [*module.split("."), *filter(None, [name])]
    return module.startswith(UNPROMISED) or any(part.startswith("_") for part in parts)


PRIVATE = sorted({found for shim in SHIMS for found in imported(shim) if is_private(*found)})


def test_no_other_file_uses_a_private_name_of_another_package():
    found = [(path.name, *one) for path in SRC.rglob("*.py") if path not in SHIMS for one in imported(path) if is_private(*one)]
    assert found == []


def test_the_private_names_are_found():
    assert ("sklearn.base", "_fit_context") in PRIVATE
    assert ("llvmlite", "ir") in PRIVATE


@pytest.mark.parametrize(("module", "name"), PRIVATE, ids=".".join)
def test_a_private_name_is_still_there(module, name):
    package = module.partition(".")[0]
    gone = f"{module}.{name} is gone in {package} {version(DISTRIBUTIONS.get(package, package))}: follow it in {{}}"
    shim = next(path.name for path in SHIMS if (module, name) in set(imported(path)))
    try:
        found = importlib.import_module(module)
        assert not name or hasattr(found, name) or importlib.import_module(f"{module}.{name}")
    except ImportError:
        pytest.fail(gone.format(shim))
