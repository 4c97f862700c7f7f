"""Model files with a flipped bit, a lost block or a missing part, or made by hand: each is refused in a sentence."""

from __future__ import annotations

import torture_model_file as damage

from torture.outcome import Outcome
from torture.world import model_bytes

FLIPS, BLOCKS, EDITS = 10_000, 10_000, 1_000  # for a scale of 1


def attack(scale: float, seed: int) -> Outcome:
    """Flip, overwrite and edit the file of a small model, and try every file made by hand."""
    data = model_bytes()
    kinds = {damage.flips: FLIPS, damage.blocks: BLOCKS, damage.edits: EDITS}
    tallies = [kind(data, max(1, round(count * scale)), seed) for kind, count in kinds.items()]
    tallies.append(damage.tally(damage.crafted(data)))
    tried = sum(tally.tried for tally in tallies)
    loaded = [f"loaded: {name}" for tally in tallies for name in tally.loaded]
    defects = [name for tally in tallies for name in tally.defects]
    worst = f"{len(loaded)} loaded, {len(defects)} without a sentence ({'; '.join([*loaded[:1], *defects[:1]])[:150]})"
    return Outcome(tried, tried - len(loaded) - len(defects), worst if loaded or defects else "")
