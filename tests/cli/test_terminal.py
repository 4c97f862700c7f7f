"""What is printed: whole words at every width, and nothing from data that a terminal would obey, whichever verb prints it."""

from __future__ import annotations

import io
import re
from collections import Counter
from contextlib import redirect_stderr, suppress
from copy import copy
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import typer
from evaluations import made_up
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from rich.cells import cell_len
from wards import ward

from sonmf import cli, experiments
from sonmf.cli import demo, evaluate, fit, predict, reproduce, topics
from sonmf.cli.say import JOINERS, make_visible, stop
from sonmf.cli.terminal import LONGEST, Terminal, progress, style_text
from sonmf.experiments import simulation_claims, simulation_report
from sonmf.triage import TriageModel, patients
from sonmf.triage.evaluation_results import FIGURES
from sonmf.triage.provenance import Provenance

TERMINALS = [80, 100, 120]
STEERING = [
    "[",
    "]",
    "/",
    "[/bold]",
    "[red]",
    ":smile:",
    "\x1b[31m",
    "\x1b]0;x\x07",
    "\x9b2J",
    "\n",
    "\r",
    "\t",
    "\0",
    "{",
    "%s",
]
STRANGE = ["\u202e", "\u2066", "\u200d", "\ud800", "\u2028", "\xa0", "é", "e\u0301", "漢", "👩\u200d👧", " "]
HOSTILE = st.lists(st.one_of(st.sampled_from(STEERING), st.sampled_from(STRANGE), st.characters()), max_size=20).map("".join)


def terminal(width=80):
    return Terminal(file=io.StringIO(), width=width, color_system=None, force_terminal=True)


def seen(console):
    return console.file.getvalue()


def is_plain(text):
    return all(letter == "\n" or letter in JOINERS or letter.isprintable() for letter in text)


@given(st.text())
def test_visible_text_can_be_printed_and_ordinary_text_stays(text):
    assert is_plain(make_visible(text))
    assert "\n" not in make_visible(text)
    make_visible(text).encode()
    assert make_visible(make_visible(text)) == make_visible(text)
    ordinary = "".join(letter for letter in text if letter.isprintable())
    assert make_visible(ordinary) == ordinary


def test_escapes_are_shown_and_not_obeyed():
    assert make_visible("\x1b[31mred\u202e\ud800\n") == "\\x1b[31mred\\u202e\\ud800\\n"


@pytest.fixture(scope="module")
def model():
    words, dispositions, complaints = ward(300)
    return TriageModel(4, min_notes=100, own_models="always").fit(words, dispositions, complaints)


def renamed(one, text):
    """The model of a complaint in which every word that can come from people is the given one."""
    vectorizer = copy(one.vectorizer)
    vectorizer.spelling_ = dict.fromkeys(vectorizer.spelling_, text)
    forecaster = structs.replace(one.forecaster, vectorizer=vectorizer)
    return structs.replace(one, name=text, labels=[text] * one.n_topics, forecaster=forecaster)


def rows_of(complaint):
    return [
        {"complaint": complaint, "method": method, "n_topics": k, "inputs": "notes + columns"}
        | dict.fromkeys(FIGURES, 0.123456 + 0.01 * fold + 0.001 * k)
        | {"residual": 1e-5, "condition": 1234.5}
        for method, k in [("sonmf", 10), ("sonmf", 50), ("svd", 50), ("binary-sonmf-plain", 50), ("words", 0)]
        for fold in range(3)
    ]


def of_fit(console, model, text):
    models = {name: renamed(one, text) if name else one for name, one in model.by_name_.items()}
    fit.show(console, SimpleNamespace(by_name_=models, pooled_={text: f"it is {text}"}, remarks_=[text]), 300, 1.0)


def of_topics(console, model, text):
    topics.show(console, renamed(model.models_["Cough"], text), 4)


def of_explain(console, model, text):
    columns = tuple(structs.replace(one, name=text, measured=False) for one in model.models_["Cough"].columns)
    one = renamed(model.models_["Cough"], text)
    one = structs.replace(one, forecaster=structs.replace(one.forecaster, columns=columns))
    why = one.explain(f"syncope sepsis {text}", dict.fromkeys([text], np.array([7.0], object)), text)
    predict.explain(console, why, text)


def of_predict(console, model, text):
    stream = SimpleNamespace(model=SimpleNamespace(models_={text: 1}), strange_values=[text], remarks=[])
    forecast = predict.Forecast(stream, 3, 0.5, all_rows=False)
    forecast.probabilities.append(0.5)
    forecast.counted.append(False)
    forecast.ids.extend([1, 1])
    forecast.remarks = forecast.unknown_complaints = 1
    stream.remarks = [text or "a remark"]
    predict.tell(console, forecast)


def of_list(console, model, text):
    rows = [[text, 0.123456, text, text, text, text, text], [None, 0.123456, "", "", "", "", None]]
    predict.show(console, [*predict.FIELDS, f"kept {text}"], rows)


def of_evaluate(console, model, text):
    evaluate.show(console, made_up([*rows_of(text), *rows_of("Cough")] if text != "Cough" else rows_of(text), {text: text}))


def of_demo(console, model, text):
    rows = made_up(rows_of(text)).summary()[1:]
    alone = [row | {"inputs": inputs} for row in rows for inputs in ("notes", "columns")]
    demo.compare(console, [*rows, *alone])


def of_reproduce(console, model, text):
    reproduce._show_claim(console, simulation_claims.Claim(text, True, text, text))


def of_reading(console, model, text):
    counts = {"admitted": 9, "discharged": 9, text: 8, None: 1}
    asked = Provenance.request(label=text, positive=("admitted",), negative=("discharged",))
    *_, remarks = patients._with_outcomes(asked, asked, counts, 5, SimpleNamespace())
    console.print_each([text, *remarks])


def of_progress(console, model, text):
    drawn = terminal(console.width)
    with progress(drawn, 2, "fits") as advance:
        advance(text)
    assert not re.search("\x1b\\[31m|\x1b\\]|\x9b|\u202e", seen(drawn))  # the bar itself moves the cursor
    piped = Terminal(file=console.file, width=console.width, force_terminal=False)
    with progress(piped, 2, "fits") as advance:
        advance(text)


def of_lines(console, model, text):
    console.print(f"written to {text}", style_text(text, "bold"), style="dim")
    console.print(text, markup=True, highlight=True, emoji=True)  # whatever is asked for
    console.rule(text)


def of_refusals(console, model, text):
    with redirect_stderr(console.file):
        with suppress(typer.Exit):
            stop(text)
        cli._say(text)


TABLES = [of_fit, of_topics, of_explain, of_list, of_evaluate, of_demo]


@pytest.mark.parametrize(
    "printed", [*TABLES, of_predict, of_reproduce, of_reading, of_progress, of_lines, of_refusals], ids=lambda f: f.__name__
)
@given(text=HOSTILE, width=st.integers(20, 130))
def test_nothing_that_comes_from_data_steers_the_terminal(model, printed, text, width):
    console = terminal(width)
    printed(console, model, text)
    assert is_plain(seen(console))


def escapes(model, text):
    console = Terminal(file=io.StringIO(), width=80, color_system="standard", force_terminal=True)
    for printed in (of_topics, of_explain, of_lines):
        printed(console, model, text)
    return set(re.findall("\x1b[^m]*m?", seen(console)))


@given(text=HOSTILE)
def test_a_terminal_gets_no_escapes_but_ours(model, text):
    assert escapes(model, text) <= escapes(model, "harmless")


WORD = st.text(st.sampled_from("abcXYZ019.,±é漢"), min_size=1, max_size=LONGEST // 2)
PHRASE = st.lists(WORD, max_size=5).map(" ".join)


@given(st.data(), st.integers(40, 160), st.integers(1, 8), st.integers(0, 4))
def test_a_table_shows_whole_words_of_as_many_columns_as_fit(data, width, columns, n_rows):
    names = data.draw(st.lists(WORD, min_size=columns, max_size=columns, unique=True))
    words = data.draw(st.lists(st.sampled_from(names), unique=True))
    rows = [[data.draw(PHRASE if name in words else WORD) for name in names] for _ in range(n_rows)]
    console = terminal(width)
    left = console.table(names, rows, words=words)
    shown = len(names) - len(left)
    assert shown >= 1
    assert [*names[:shown], *left] == names
    lines = seen(console).splitlines()
    assert max(cell_len(line) for line in lines) <= width
    expected = Counter(word for row in [names, *rows] for cell in row[:shown] for word in cell.split())
    assert Counter(seen(console).replace("─", " ").split()) == expected
    if left:  # one more would not have fitted; a word with wide letters takes one cell more than it has
        least = [
            max(cell_len(word) + ("漢" in word) for row in [names, *rows] for word in (row[k].split() or [""]))
            for k in range(shown + 1)
        ]
        assert sum(least) + 2 * shown > width


def test_a_word_without_end_is_cut_and_marked():
    console = terminal(80)
    console.table(["complaint", "notes"], [["x" * 300, "1,234"]], words=["complaint"])
    assert "x…" in seen(console)
    assert "1,234" in seen(console)


def test_a_long_name_of_a_file_stays_in_one_piece():
    path = "/" + "a" * 200 + "/model.sonmf"
    for place in ({"force_terminal": True}, {"force_terminal": False}):
        console = Terminal(file=io.StringIO(), width=80, color_system=None, **place)
        console.print("model written to ", style_text(path, "bold"), "; next: sonmf topics")
        assert path in seen(console)


@pytest.mark.parametrize("place", [{"force_terminal": True}, {"force_terminal": False}], ids=["terminal", "pipe"])
@pytest.mark.parametrize("width", TERMINALS)
def test_an_evaluation_shows_what_decides_first_and_every_figure_whole(width, place):
    found = made_up(rows_of("Shortness of Breath"))
    console = Terminal(file=io.StringIO(), width=width, color_system=None, **place)
    evaluate.show(console, found)
    head, body = evaluate.cells(found)
    assert head[:4] == ["method", "K", "AUROC", "log loss"]
    text = " ".join(seen(console).split())
    (left,) = re.findall("no space for (.*): see table.md", text)
    shown = len(head) - len(left.split(", "))
    assert head[shown:] == left.split(", ")
    assert shown >= {80: 4, 100: 5, 120: 6}[width]
    assert all(cell in seen(console) for row in body for cell in row[1:shown])
    assert {"TruncatedSVD", "BinarySONMF,", "intercept", "SONMF"} <= set(seen(console).split())


@pytest.mark.parametrize("width", TERMINALS)
@pytest.mark.parametrize("name", ["table1", "table4", "init-study", "rank-study"])
def test_tables_of_the_paper_keep_their_figures_whole(name, width):
    place = Path(__file__).parents[2] / "docs" / "reproduction" / name / "results.csv"
    experiment = experiments.load(name)
    known = ["scenario", "k", "method", "trial", *experiment.columns]
    results = simulation_report.Results(experiment, pd.read_csv(place)[known], {})
    console = terminal(width)
    reproduce._show(console, results)
    head, body = simulation_report.cells(results)
    lines = seen(console).splitlines()
    assert max(map(cell_len, lines)) <= width
    words = set(seen(console).split())
    assert all(set(f"{row[0]} {row[1]} {row[2]}".split()) <= words for row in body)
    assert all(row[3] in seen(console) for row in body if len(head) > 3)
