"""``python -m torture``: all attacks, or those named, and a table; exit code 1 if anything was not survived.

An interrupt ends the attack that runs and goes on with the next one; its figures until then are kept.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
from pathlib import Path

from torture import ATTACKS, attack_named, figures
from torture.outcome import Outcome

ROUND = 0.02  # the scale of one round of a run that is limited by time


def main() -> int:
    asked = arguments()
    for one in (signal.SIGINT, signal.SIGTERM):  # in the background of a shell SIGINT is ignored
        signal.signal(one, signal.default_int_handler)
    outcomes: dict[str, Outcome] = {}
    for name in asked.only or ATTACKS:
        began = time.monotonic()
        print(f"{name.replace('_', ' ')} ...", flush=True)
        outcomes[name] = run(name, asked.scale, asked.minutes and asked.minutes / len(asked.only or ATTACKS), asked.seed)
        one = outcomes[name]
        said = [f"{one.tried:,} tried", f"{one.survived:,} survived", one.at_most and f"at most {one.at_most} each"]
        print("  " + ", ".join(filter(None, [*said, f"{time.monotonic() - began:.0f} s in all", one.worst])), flush=True)
    print("\n" + figures.table(outcomes))
    if asked.figures:
        figures.write(asked.figures, outcomes, asked.seed)
    return int(any(outcome.survived < outcome.tried for outcome in outcomes.values()))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="torture", description="Attack the promises of docs/promises.md.")
    parser.add_argument("only", nargs="*", metavar="ATTACK", help=f"one or more of {', '.join(ATTACKS)} (default: all)")
    parser.add_argument("--scale", type=float, default=1.0, help="1 is at length: 10,000 flips, 100 kills, 20,000 requests")
    parser.add_argument(
        "--minutes", type=float, help="stop after so many minutes, shared among the attacks, instead of --scale"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--figures", type=Path, help="file to keep the latest figures in, such as docs/promises_figures.md")
    asked = parser.parse_args()
    if unknown := set(asked.only) - set(ATTACKS):
        parser.error(f"there is no attack {', '.join(sorted(unknown))}: there are {', '.join(ATTACKS)}")
    return asked


def run(name: str, scale: float, minutes: float | None, seed: int) -> Outcome:
    """One attack at this scale, or small ones one after another until the time is over."""
    attack = attack_named(name)
    if minutes is None:
        return attack(scale, seed)
    deadline, total = time.monotonic() + 60 * minutes, attack(ROUND, seed)
    while time.monotonic() < deadline:
        seed += 1
        total = total.and_then(attack(ROUND, seed))
    return total


if __name__ == "__main__":
    sys.exit(main())
