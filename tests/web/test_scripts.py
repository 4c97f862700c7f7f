"""The scripts: short enough to read, and joined into one module for a file that stands alone."""

import re

import pytest

from sonmf.web.application import STATIC
from sonmf.web.standalone import MODULE, bundle

SCRIPTS = [path for path in STATIC.rglob("*.js") if "vendor" not in path.parts]


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.relative_to(STATIC).as_posix())
def test_a_script_has_short_lines_and_is_not_long(path):
    lines = path.read_text("utf-8").splitlines()
    assert len(lines) <= 400
    assert max(map(len, lines)) <= 140


def test_curves_side_by_side_have_no_colour_that_means_something():
    (line,) = re.findall(r"^export const SERIES = \[(.*)\];", (STATIC / "charts" / "base.js").read_text("utf-8"), re.M)
    style = (STATIC / "style.css").read_text("utf-8")
    meant = [re.search(rf"--{name}: (#\w+);", style)[1] for name in ("raises", "lowers", "for", "against", "instead", "alarm")]
    assert len(set(re.findall(r"#\w+", line)) - set(meant)) == line.count("#") > 3


def test_one_module_has_every_module_once_after_those_it_needs():
    joined = bundle(MODULE)
    assert not re.search(r"^(import|export)\b", joined, re.M)
    names = ("format.js", "charts/base.js", "charts/index.js", MODULE)
    needed = [(STATIC / name).read_text("utf-8").splitlines()[-2].removeprefix("export ") for name in names]
    assert [joined.count(line) for line in needed] == [1, 1, 1, 1]
    places = [joined.index(line) for line in needed]
    assert places == sorted(places)
