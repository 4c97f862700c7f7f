"""Load a model file, check its SHA-256, and print the remarks on it."""

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
    """Print the SHA-256 of the file, which other commands take as --expect-sha256."""
    Terminal().print(f"SHA-256 {model.sha256_}")
