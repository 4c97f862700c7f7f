"""Without an optional package everything else can be imported, and what cannot says which package it lacks."""

from __future__ import annotations

import json
import subprocess
import sys

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
