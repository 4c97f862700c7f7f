"""``python -m sonmf.cli``."""

from sonmf.cli import main

main()
