"""Refuse a release whose version, changelog, citation or tag do not agree: ``python .ci/release.py [FOLDER]``.

Prints what is wrong, a line each, and exits with 1; where all agree it exits with 0. It changes and uploads nothing.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path


def main(root: Path) -> int:
    version = first(r'^__version__ = "(.+)"$', root / "src/sonmf/__init__.py")
    problems = [*in_files(root, version), *in_git(root, version)]
    if problems:
        print(f"sonmf {version} cannot be released:", *problems, sep="\n  ", file=sys.stderr)
        return 1
    print(f"sonmf {version}: version, changelog, citation and tag agree")
    return 0


def in_files(root: Path, version: str) -> list[str]:
    """What the changelog, the citation and the page that prints it say otherwise than ``version``."""
    problems = []
    heading = first(r"^## (.+)$", root / "CHANGELOG.md")
    if not re.fullmatch(rf"{re.escape(version)} \(\d{{4}}-\d\d-\d\d\)", heading):
        problems.append(f'CHANGELOG.md begins with "{heading}": write "{version} (the date as YYYY-MM-DD)"')
    for name, pattern in (("CITATION.cff", r"^version: (.+)$"), ("docs/citing.md", r"^  version = \{(.+)\}")):
        if (found := first(pattern, root / name)) != version:
            problems.append(f'{name} has version "{found}": write "{version}"')
    return problems


def in_git(root: Path, version: str) -> list[str]:
    """Changes that are not committed, and a tag that is missing or stands on another commit."""
    problems = []
    if git(root, "status", "--porcelain"):
        problems.append("there are changes that are not committed: commit or remove them")
    if f"v{version}" not in git(root, "tag", "--points-at", "HEAD").splitlines():
        problems.append(f"this commit does not have the tag v{version}: git tag v{version}")
    return problems


def first(pattern: str, path: Path) -> str:
    """The first match in a file, or nothing."""
    found = re.search(pattern, path.read_text(encoding="utf-8"), re.M)
    return found[1] if found else ""


def git(root: Path, *words: str) -> str:
    return subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
