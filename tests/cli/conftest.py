import sys

import pytest

from sonmf.cli import main


@pytest.fixture
def sonmf(monkeypatch, capsys):
    """``sonmf("fit", ...)`` runs the command in this process: exit code, what it printed, what it complained of."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["sonmf", *map(str, arguments)])
        monkeypatch.setenv("COLUMNS", "200")
        with pytest.raises(SystemExit) as stop:
            main()
        streams = capsys.readouterr()
        return stop.value.code or 0, streams.out, streams.err

    return run
