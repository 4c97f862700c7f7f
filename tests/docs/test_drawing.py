"""docs/architecture.md draws the rooms in the order that the linter enforces."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_drawing_has_the_rooms_in_the_order_of_the_linter():
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    drawing = re.search(r"^```text\n(  people .*?)^```", text, re.S | re.M)[1]
    drawn = [name.rstrip("/").removesuffix(".py") for name in re.findall(r"\b\w+(?:\.py|/(?=\s))", drawing)]
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert drawn == settings["tool"]["importlinter"]["contracts"][0]["layers"]
