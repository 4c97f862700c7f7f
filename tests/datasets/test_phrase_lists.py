"""Lists of phrases are checked when they are read, and what is wrong is said with file and line."""

from __future__ import annotations

import pytest

from sonmf.datasets.complaints import COMPLAINTS
from sonmf.datasets.grammar import fault
from sonmf.datasets.pictures import PICTURES, Complaint, Condition
from sonmf.datasets.toml_table import Table

GOOD = """\
complaint = "Hiccups"
chief = ["hiccups", "hiccups x{2..9} days"]
calm = ["laughing"]
ill = ["{left|right} sided pain", "grown: here with {family}"]

[[picture]]
name = "supper"
share = 0.9
risk = -1
ages = [3, 80]
onset = "hours"
conditions = ["asthma"]
mild = ["ate fast"]
usual = [
    "drank {2|3} cokes",
    "*laughed",
]
severe = ["baby: cannot feed"]
denied = ["chest pain"]

[[picture]]
name = "nerve"
share = 0.1
risk = 1.5
ages = [40, 99]
women = 0.4
onset = "weeks"
conditions = ["gerd"]
vitals = ["pain"]
mild = ["on and off"]
usual = ["cannot sleep"]
severe = ["lost {10..20} lbs"]
denied = ["fever"]
"""


def read(tmp_path, text):
    (tmp_path / "hiccups.toml").write_text(text, encoding="utf-8")
    return Complaint.of(Table.read("hiccups.toml", tmp_path))


def test_a_complaint_is_what_its_file_says(tmp_path):
    found = read(tmp_path, GOOD)
    assert found.name == "Hiccups"
    assert found.chief == ("hiccups", "hiccups x{2..9} days")
    supper, nerve = found.pictures
    assert (supper.ages, supper.women, supper.vitals, supper.usual) == ((3, 80), 0.5, (), ("drank {2|3} cokes", "*laughed"))
    assert (nerve.name, nerve.share, nerve.risk, nerve.women, nerve.vitals) == ("nerve", 0.1, 1.5, 0.4, ("pain",))


@pytest.mark.parametrize(
    ("old", "new", "line", "says"),
    [
        ('"laughing"', '"laughing at {nobody}"', 3, "{nobody}, which is neither a choice nor a range nor a list"),
        ('"laughing"', '"laughing {"', 3, "brace without its partner"),
        ('"laughing"', '"laughing  loud"', 3, "a space too many"),
        ('"laughing"', '""', 3, "is empty"),
        ("{2..9}", "{9..2}", 2, "range {9..2} that does not rise"),
        ('"*laughed"', '"*elder: laughed"', 16, "the mark 'elder'; known are baby, child"),
        ('"*laughed"', '"ate fast"', 13, "the symptom 'ate fast' stands there twice"),
        ('"*laughed"', "7", 14, "usual has 7, which is not a text"),
        ('onset = "weeks"', 'onset = "years"', 27, "onset has 'years', which is unknown"),
        ('"gerd"', '"gerdd"', 28, "conditions has 'gerdd', which is unknown"),
        ('"pain"]', '"ache"]', 29, "vitals has 'ache', which is unknown"),
        ("ages = [40, 99]", "ages = [99, 40]", 25, "ages must rise"),
        ("ages = [40, 99]", "ages = [40]", 25, "ages must be 2 numbers"),
        ("risk = 1.5", 'risk = "high"', 24, "risk must be a number"),
        ("share = 0.1", "share = true", 23, "share must be a number"),
        ("women = 0.4", "womne = 0.4", 26, "womne is unknown; known are ages"),
        ('denied = ["fever"]', "", 21, "denied is missing"),
        ("[40, 99]", "[40, 99", 26, ""),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path, old, new, line, says):
    assert GOOD.count(old) == 1
    with pytest.raises(ValueError, match=r"^hiccups\.toml") as refused:
        read(tmp_path, GOOD.replace(old, new))
    assert f"line {line}" in str(refused.value)
    assert says in str(refused.value)


def test_a_condition_is_checked_too(tmp_path):
    (tmp_path / "c.toml").write_text('[gout]\nwritten = ["gout"]\ndrugs = ["colchicine"]\nrisk = 0\ncommon = [0, 1]\n')
    with pytest.raises(ValueError, match=r"^c\.toml, line 5: common must be 3 numbers"):
        Condition.of(Table.read("c.toml", tmp_path).table("gout"))


def test_every_complaint_of_the_paper_has_its_pictures():
    assert set(PICTURES) == set(COMPLAINTS)


@pytest.mark.parametrize("phrase", ["a {b|c} d", "a {1..3}", "a {family}", "*old f: a", "solumedrol {125|}", "@ 10: pm"])
def test_phrases_of_the_grammar_pass(phrase):
    assert fault(phrase, {"family"}) == ""
