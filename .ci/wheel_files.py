"""A wheel has every file of the package that git knows, and nothing else: ``python .ci/wheel_files.py WHEEL``."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parent.parent


def differences(names: Iterable[str]) -> list[str]:
    """How the names in a wheel differ from the files of ``src`` that git knows, a sentence each."""
    in_wheel = {name for name in names if ".dist-info/" not in name}
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "src"], capture_output=True, text=True, check=True).stdout
    known = {name.removeprefix("src/") for name in listed.splitlines()}
    return [f"missing from the wheel: {name}" for name in sorted(known - in_wheel)] + [
        f"in the wheel, but not in git: {name}" for name in sorted(in_wheel - known)
    ]


if __name__ == "__main__":
    sys.exit("\n".join(differences(zipfile.ZipFile(sys.argv[1]).namelist())) or 0)
