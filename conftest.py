"""Which tests run where, and the last screen of a run."""

from __future__ import annotations

import importlib
from collections import Counter
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent / "src"
ONLY_BY_NAME = {
    "torch": "needs torch",
    "browser": "needs Chromium",
    "postgresql": "needs a PostgreSQL server",
    "data": "needs the data sets beside the repository",
    "long": "takes long",
}
"""Markers of the tests that a plain run leaves out; ``pytest -m torch`` runs those of torch, ``.ci/run`` runs all of them."""


def pytest_configure(config):
    """Declare the markers."""
    for marker, reason in ONLY_BY_NAME.items():
        config.addinivalue_line("markers", f"{marker}: {reason}; left out unless -m names it")


def pytest_ignore_collect(collection_path):
    """Leave out a module of the package that imports, at its top, a package which is not installed."""
    if collection_path.suffix != ".py" or SOURCE not in collection_path.parents or collection_path.stem == "__main__":
        return None
    module = ".".join(collection_path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
    try:
        importlib.import_module(module)
    except ModuleNotFoundError as error:
        if not (error.name or "sonmf").startswith("sonmf"):
            return True
    return None


@pytest.hookimpl(tryfirst=True)  # before -m chooses among the markers
def pytest_collection_modifyitems(config, items):
    """Mark a test that asks for the fixture ``torch`` or ``browser``, and skip what only runs by name."""
    for item in items:
        for fixture in {"torch", "browser"} & set(getattr(item, "fixturenames", ())):
            item.add_marker(fixture)
        if not config.option.markexpr:
            for marker in filter(item.get_closest_marker, ONLY_BY_NAME):
                item.add_marker(pytest.mark.skip(reason=f"{ONLY_BY_NAME[marker]}: pytest -m {marker}"))


def pytest_terminal_summary(terminalreporter):
    """One line for each reason why tests were skipped or failed as expected, with their number."""
    for category, heading in (("skipped", "skipped"), ("xfailed", "failed as expected")):
        reports = terminalreporter.stats.get(category, [])
        for reason, count in Counter(map(_reason, reports)).most_common():
            terminalreporter.write_line(f"{count:5} {heading}: {reason}")


def _reason(report):
    told = report.wasxfail if hasattr(report, "wasxfail") else report.longrepr[2]
    return told.removeprefix("Skipped: ").removeprefix("reason: ")
