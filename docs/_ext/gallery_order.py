"""The order of the examples in the gallery: what a stranger wants to see comes first."""

from __future__ import annotations

FIRST = (
    "real_text",
    "one_topic",
    "three_models",
    "over_time",
    "seed_topics",
    "sparsity",
    "choosing_k",
    "stable_topics",
    "forecast",
    "pipeline",
    "drift",
)


class ReadingOrder:
    """A key for sorted(): examples in the order above, then all others by name."""

    def __init__(self, folder: str) -> None:
        pass

    def __call__(self, path: str) -> tuple[int, str]:
        name = path.rsplit("plot_", 1)[-1].removesuffix(".py")
        return (FIRST.index(name) if name in FIRST else len(FIRST), name)
