"""The command line: arguments in, a report out."""

from __future__ import annotations

import sys


def main() -> None:
    """The ``sonmf`` command, or the one line that installs what it needs."""
    try:
        import rich  # noqa: F401
        import typer  # noqa: F401
    except ImportError:
        sys.exit("The command line of sonmf needs its extra 'app': python -m pip install 'sonmf[app]'")
    from sonmf.cli.app import app

    app()
