"""A model file as the command line loads it: only the one that is expected, and with what there is to say about it."""

from __future__ import annotations

from pathlib import Path

from sonmf.cli.terminal import Terminal
from sonmf.triage import TriageModel


def load_model(path: Path, expect_sha256: str | None) -> TriageModel:
    model = TriageModel.load(path, expect_sha256)
    for remark in model.remarks_:
        Terminal(stderr=True).print(f"sonmf: {remark}")
    return model


def say_digest(model: TriageModel) -> None:
    """What ``sha256sum`` prints for its file, to be given as --expect-sha256 elsewhere."""
    Terminal().print(f"SHA-256 {model.sha256_}")
