"""The report as a file: whole, alone, closed to anything it did not bring along, and with a table behind every chart."""

from __future__ import annotations

import base64
import hashlib
import itertools
import json
import math
import re

import numpy as np
import pytest
from evaluations import made_up
from msgspec import structs
from pages import BANNER, NAMESPACES, Page
from typer.testing import CliRunner
from wards import ODD, ward

from sonmf.cli.app import app
from sonmf.stability import UNSTABLE
from sonmf.triage import Provenance, TriageModel, model_card, model_report, topics_together
from sonmf.triage.evaluation_results import BOTH, COLUMNS, FIGURES, NOTES
from sonmf.triage.labels import in_short
from sonmf.triage.records import Merit
from sonmf.web import report_page
from sonmf.web.rendering import RANKED, environment, is_settled, render
from sonmf.web.report_page import report_html
from sonmf.web.standalone import LIBRARIES, MODULE, asset, bundle

LABEL = "</script><script>attacked()</script>\u2028<!-- ' \" &amp;"
NOTE = 'syncope <img src=x onerror="attacked()"></blockquote> \u2029 ]]> stroke'


def judged(complaints, asked):
    """An evaluation of these patients in which no two figures are the same."""
    fits = [
        ("sonmf", 2, NOTES),
        ("sonmf", 0, COLUMNS),
        *((*one, BOTH) for one in (("sonmf", 2), ("sonmf", 4), ("nmf", 4), ("words", 0))),
    ]
    cells = itertools.product(filter(None, complaints), fits, range(2))
    rows = [
        {"complaint": complaint, "method": method, "n_topics": k, "inputs": inputs}
        | {"accuracy": 0.6 + 0.011 * number, "auroc": 0.5 + 0.012 * number**1.2}
        for number, (complaint, (method, k, inputs), _) in enumerate(cells)
    ]  # fmt: skip
    return made_up(rows, {"Rare": "3 notes, fewer than min_notes=200"}, asked)


@pytest.fixture(scope="module")
def model(fitted):
    model = TriageModel.load(fitted)
    asked = Provenance("june.csv", "note", "outcome", None, ("in",), ("home",), {"in": 5}, {"home": 7}, {}, 12)
    model.evaluations_ = [judged(model.models_, asked)]
    model.put(model.models_["Cough"].with_labels({0: LABEL}))
    return model


@pytest.fixture(scope="module")
def html(model):
    return report_html(model)


@pytest.fixture(scope="module")
def page(html):
    return Page(html)


def test_it_fits_on_anything_and_is_the_same_every_time(model, html):
    assert len(html.encode()) < 5_000_000
    assert report_html(model) == html


def test_each_complaint_and_evaluation_is_looked_at_once(model, monkeypatch):
    looked = []
    for module, name in ((model_report, "complaint"), (model_card, "evaluation")):
        made = getattr(module, name)
        monkeypatch.setattr(module, name, lambda one, *more, made=made: looked.append(id(one)) or made(one, *more))
    report_html(model)
    assert sorted(looked) == sorted(map(id, [*model.by_name_.values(), *model.evaluations_]))


def test_nothing_can_be_fetched(page, html):
    assert set(re.findall(r"https?://[^\s\"'`)<]+", html)) == NAMESPACES | BANNER
    assert not page.all("link", "img", "iframe", "object", "embed", "base", "form", "audio", "video", "source")
    assert all(attrs["href"].startswith("#") for attrs, _ in page.all("a"))
    assert not [
        name for _, attrs, _ in page.tags for name in attrs if name in ("src", "srcset", "style") or name.startswith("on")
    ]
    (style,) = [text for _, text in page.all("style")]
    assert not re.search(r"url\(|@import", style)


def test_the_policy_allows_the_texts_that_are_there_and_nothing_else(page):
    (policy,) = [attrs["content"] for attrs, _ in page.all("meta") if attrs.get("http-equiv") == "Content-Security-Policy"]
    allowed = dict(part.split(" ", 1) for part in policy.split("; "))
    kinds = {"script-src": page.code, "style-src": [text for _, text in page.all("style")]}
    for kind, texts in kinds.items():
        sums = (base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in texts)
        assert allowed.pop(kind).split() == [f"'sha256-{one}'" for one in sums]
    assert set(allowed) == {"default-src", "base-uri", "form-action"}
    assert set(allowed.values()) == {"'none'"}


def test_names_and_notes_of_an_attacker_stay_text(model):
    hostile = Page(report_html(model, {"Cough": [NOTE], "": [NOTE]}))
    assert hostile.code == [*map(asset, LIBRARIES), bundle(MODULE)]
    assert not hostile.all("img")
    assert ODD in [text for _, text in hostile.all("h2")]
    assert NOTE in [text for _, text in hostile.all("blockquote")]
    assert any(text.startswith(LABEL) and text.endswith("topic 0") for _, text in hostile.all("h5"))
    for kind, key in (("correlation", str), ("href", lambda topic: topic["name"])):
        named = [[key(topic) for topic in data["topics"]] for data in hostile.data if kind in data]
        assert any(name.startswith(LABEL) for names in named for name in names)


def test_every_complaint_and_topic_is_there_with_its_words(model, page):
    titles = [text for _, text in page.all("h2")]
    built = [model_report.complaint(one) for one in model_report.ordered(model)]
    assert titles == ["At a glance", "How to read it", *(one.title for one in built), "Evaluation", "Model card"]
    places = [attrs["id"] for attrs, _ in page.all("article")]
    topics = [(k, topic) for k, one in enumerate(built, 1) for topic in one.topics]
    assert len(places) == len(topics)
    assert set(places) == {f"c{k}-t{topic.number}" for k, topic in topics}
    tables = [text.rpartition("Correlation")[2] for attrs, text in page.all("table") if attrs.get("class") == "words wide"]
    words = {at: sorted(re.findall("[a-z]+", table)) for at, table in zip(places, tables, strict=True)}
    assert words == {f"c{k}-t{t.number}": sorted(word for word, _ in t.positive + t.negative) for k, t in topics}
    effects = [text for attrs, text in page.all("span") if attrs.get("class", "").startswith("effect ")]
    assert sorted(text for text in effects if "odds of" in text or "no effect" in text) == sorted(
        topic.effect for _, topic in topics
    )


def test_stability_stands_beside_every_topic_and_the_unstable_are_marked(model, page):
    scores = [score.score for built in model_report.ordered(model) for score in built.record.stability]
    assert min(scores) < UNSTABLE < max(scores)  # else this shows nothing
    articles = [text for _, text in page.all("article")]
    assert sum("Stable: other draws of the patients" in text for text in articles) == sum(s >= UNSTABLE for s in scores)
    headings = [text for _, text in page.all("h5")]
    assert sum("unstable" in text for text in headings) == sum(score < UNSTABLE for score in scores)
    for built in model_report.ordered(model):
        assert model_report.how_stable(built) in page.text


def test_effects_fall_from_card_to_card(model, page):
    for k, one in enumerate(model_report.ordered(model), 1):
        numbers = [int(at.split("-t")[1]) for attrs, _ in page.all("article") if (at := attrs["id"]).startswith(f"c{k}-")]
        used = [one.strength[number] for number in numbers if one.strength[number]]
        for side in (1, -1):
            values = [value * side for value in used if value * side > 0]
            assert values == sorted(values, reverse=True)


def test_the_first_page_ranks_columns_with_topics_by_what_they_add(model, page):
    """The size of an effect, found anew: the spread over the patients of what a topic or a column adds to the log-odds."""
    everyone = model.pooled_model_
    sizes = dict(zip(everyone.names, abs(everyone.strength), strict=True))
    sizes |= dict(zip(everyone.axis_names, abs(everyone.axis_strength), strict=True))
    sizes |= {shape.name: shape.moves for shape in everyone.record.columns}
    ranked = sorted((name for name in sizes if sizes[name]), key=lambda name: -sizes[name])[:RANKED]
    (drawn, *_) = [data for data in page.data if isinstance(data, list) and isinstance(data[0], dict) and "raising" in data[0]]
    assert [row["name"] for row in drawn] == ranked
    assert {row["topic"] is None for row in drawn} == {True, False}
    strengths = dict(zip(everyone.names, everyone.strength, strict=True))
    strengths |= dict(zip(everyone.axis_names, everyone.axis_strength, strict=True))
    assert [row["odds"] for row in drawn] == pytest.approx([math.exp((sizes | strengths)[name]) for name in ranked])
    assert {row["way"] for row in drawn if row["odds"] < 1} == {"lowers"}  # as in the cards of the topics and their table
    glance = [tag for tag, attrs, _ in page.seen if attrs.get("data-chart")]
    assert len(glance) == 2  # the ranking and the thresholds are seen without unfolding anything


def test_what_signals_admission_is_named_with_the_side_that_does(model):
    for fitted in model_report.ordered(model):
        named = model_report.signals(fitted)
        assert len(named) == len(fitted.record.merit.topics)
        for k, name in zip(fitted.record.merit.topics, named, strict=True):
            if k < fitted.n_topics:
                assert name.startswith("against ") == (fitted.strength[k] < 0)
            elif k < fitted.n_topics + len(fitted.axes):
                assert name == fitted.axis_names[k - fitted.n_topics]
            else:
                shape = fitted.record.columns[k - fitted.n_topics - len(fitted.axes)]
                effects = [at.effect for at in (*shape.curve, *shape.levels, *shape.words)]
                top = max(drawn_parts(shape), key=lambda at: at.effect)
                if shape.missing_effect is None or shape.missing_effect <= max(effects):
                    assert in_short(top.value)[:3] in name


def test_figures_have_intervals_and_accuracy_its_base_rate(model, page):
    for fitted in model_report.ordered(model):
        figures = fitted.record.out_of_fold
        for name, (low, high) in figures.intervals.items():
            assert low < getattr(figures, name) < high
        low, high = figures.intervals["auroc"]
        assert page.text.count(f"{figures.auroc:.3f} [{low:.3f}, {high:.3f}]") >= 3
    commoner = max(model.pooled_model_.base_rate, 1 - model.pooled_model_.base_rate)
    assert f"is right for {commoner:.1%}" in page.text


def test_thresholds_are_those_of_the_record(model, page):
    for row in model.pooled_model_.record.out_of_fold.thresholds:
        costs = [row.flagged, row.missed, row.in_vain]
        cells = " ".join(f"{100 * cost.value:.0f} [{100 * cost.low:.0f}, {100 * cost.high:.0f}]" for cost in costs)
        assert re.sub(r"\s", "", f"{row.threshold:.0%}{cells}") in re.sub(r"\s", "", page.text)


def test_columns_come_with_their_curves_and_bars_by_how_much_they_move_the_forecast(model, html):
    sections = re.findall(r'<h3 id="c\d-columns">.*?(?=<h3 id="c\d-trade">)', html, re.S)
    for one, section in zip(model_report.ordered(model), sections, strict=True):
        shapes = sorted(one.record.columns, key=lambda shape: -shape.moves)
        moving = [shape for shape in shapes if shape.moves]
        assert {shape.name for shape in moving} > {"hr", "level"}
        assert re.findall(r"<h4>([^\s<]+)", section) == [shape.name for shape in moving]
        cards = section.split('<div class="card column">')[1:]
        for shape, card in zip(moving, cards, strict=True):
            data = json.loads(re.search(r'<script type="application/json">(.*?)</script>', card).group(1))
            assert shown_effects(data) == pytest.approx([part.effect for part in drawn_parts(shape)], abs=1e-4)
            assert ("read from the note" in card) == shape.measured
            assert (f"Missing for {shape.missing:.1%} of the patients" in card) == (shape.missing > 0)
            figures = [part.n for part in (*shape.levels, *shape.bins)]
            assert [int(cell) for cell in re.findall(r'<td class="number">(\d+)</td></tr>', card)] == figures
        still = ", ".join(shape.name for shape in shapes if not shape.moves)
        assert not still or f"Without effect on the forecast: {still}." in section


def drawn_parts(shape):
    return shape.curve or shape.levels or shape.words


def shown_effects(data):
    return [at["effect"] for at in data["curve"]] if isinstance(data, dict) else [bar["value"] for bar in data]


def test_the_card_names_columns_with_range_gaps_and_effect(model, html):
    card = html[html.index("<h3>Purpose</h3>") :]
    assert "It reads the triage note and the numbers in it, and these columns: hr, level, coin, history" in card
    assert "note alone" not in card
    assert "no vital signs" not in card
    everyone = model.pooled_model_
    for column, shape in zip(everyone.columns, everyone.record.columns, strict=True):
        row = re.search(rf'<th scope="row">{column.name}</th>(.*?)</tr>', card).group(1)
        assert f"{shape.missing:.1%}" in row
        assert f"{shape.moves:.3f}" in row
        assert ("the note" in row) == column.measured
        if column.kind == "number":
            assert f"{in_short(column.low)} to {in_short(column.high)}" in row
        elif column.kind == "category":
            assert ", ".join(column.levels) in row


def test_a_table_follows_every_chart(page):
    marks = [
        "chart" if "data-chart" in attrs else tag for tag, attrs, _ in page.tags if "data-chart" in attrs or tag == "table"
    ]
    assert marks.count("chart") == len(page.data) > 20
    assert all(then == "table" for now, then in itertools.pairwise(marks) if now == "chart")
    drawn = {attrs["data-chart"] for attrs, _ in page.all("div") if "data-chart" in attrs}
    known = set(re.findall(r"^  (\w+),$", asset("charts/index.js"), re.M))
    templates = [environment().loader.get_source(None, name)[0] for name in ("_beds.html", "_together.html", "monitor.html")]
    hidden = set(re.findall(r"chart\(\"(\w+)\"", "".join(templates))) | {"convergence"}  # these fits began at their solution
    assert drawn == known - hidden
    assert all(attrs["role"] == "img" and attrs["aria-label"] for attrs, _ in page.all("div") if "data-chart" in attrs)


def test_a_fit_that_hardly_moved_has_a_sentence_instead_of_a_chart_of_rounding(model, page):
    assert "The objective fell by less than 0.01%" in page.text
    assert [is_settled(steps) for steps in ([2.0, 2.0 - 1e-9], [2.0, 1.9], [-1.9, -2.0], [])] == [True, False, False, False]
    record = structs.replace(model.pooled_model_.record, objective=[2.0, 1.9])
    one = model_report.complaint(structs.replace(model.pooled_model_, record=record))
    html = render("_quality_of_complaint.html", one=one)
    assert 'data-chart="convergence"' in html
    assert "The objective fell" not in html


def test_an_effect_that_is_written_as_one_has_no_direction(model):
    assert [model_report.direction_of(strength) for strength in (0.004, -0.004, 0.0, 0.02, -0.02)] == [
        "neither", "neither", "neither", "raises", "lowers",
    ]  # fmt: skip
    fitted = model.pooled_model_
    effects = np.where(np.arange(len(fitted.forecaster.effects)) == 0, 1e-6, fitted.forecaster.effects)
    faint = structs.replace(fitted, forecaster=structs.replace(fitted.forecaster, effects=effects))
    (topic,) = (one for one in model_report.topics(faint) if one.number == 0)
    assert topic.effect == "hardly any effect on admission"
    html = render("_topics_of_complaint.html", one=model_report.complaint(faint), origin="", compass=None, elsewhere=[[]] * 20)
    assert "hardly any</span>" in html
    assert "odds \N{MULTIPLICATION SIGN} 1.00" not in html


def test_the_first_page_says_what_admission_itself_is(model, page):
    (glance,) = (text for attrs, text in page.all("section") if attrs.get("id") == "glance")
    assert model_report.complaint(model.pooled_model_).about_axes in " ".join(glance.split())


def test_a_topic_leads_to_its_neighbours_and_to_the_one_like_it_of_another_complaint(model, page):
    order = [one.name for one in model_report.ordered(model)]
    cards = {attrs["id"]: text for attrs, text in page.all("article")}
    alike = 0
    for number, name in enumerate(order, 1):
        for topic, found in enumerate(topics_together.elsewhere(model, name)):
            alike += len(found)
            text = cards[f"c{number}-t{topic}"]
            assert all(
                f"{like.complaint or 'All complaints'}: {like.name}".replace(" (unstable)", "") in text for like in found
            )
        for report in model_report.topics(model.by_name_[name]):
            text = cards[f"c{number}-t{report.number}"]
            assert all(one.name.removesuffix(" (unstable)") in text for one in report.neighbours)
    assert alike > 0


def test_headings_are_in_order_and_links_lead_somewhere(page):
    levels = [int(tag[1]) for tag, _, _ in page.tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(then <= now + 1 for now, then in itertools.pairwise(levels))
    places = [attrs["id"] for _, attrs, _ in page.tags if "id" in attrs]
    assert len(places) == len(set(places))
    assert {attrs["href"][1:] for attrs, _ in page.all("a")} <= set(places)
    regions = [attrs["aria-label"] for _, attrs, _ in page.tags if attrs.get("role") == "region"]
    assert len(regions) == len(set(regions))


def test_the_evaluation_is_printed_as_it_is(model, page):
    for row in model.evaluations_[0].summary():
        assert f"{row['accuracy']:.1%} ± {row['accuracy_error']:.1%}" in page.text
        assert f"{row['auroc']:.3f} ± {row['auroc_error']:.3f}" in page.text


@pytest.mark.parametrize(
    ("complaints", "shown"), [(("Cough", "Fever"), {"Cough", "Fever", ""}), (("Cough", "Gout"), {"Cough"})]
)
def test_one_model_of_all_complaints_has_typical_notes_if_each_complaint_has(complaints, shown):
    notes, dispositions, named = ward(300, complaints=complaints)
    pooled = TriageModel(3, min_notes=1000).fit(notes, dispositions, named)
    assert not pooled.models_
    assert set(report_page.generated_notes(pooled)) == shown


def test_generated_notes_are_marked_and_those_of_patients_too(model, page):
    assert "Typical notes in this report are generated" in page.text
    assert "contains notes of patients" not in page.text
    tags = [text for attrs, text in page.all("span") if attrs.get("class") == "tag" and not text.startswith("topic")]
    assert set(tags) == {"column", "generated", "made from the outcome", "read from the note"}
    assert set(report_page.generated_notes(model)) == {"Cough"}  # nobody can generate notes of the other complaint
    given = Page(report_html(model, {"Cough": ["syncope today", "cough at home"]}))
    assert "This file contains notes of patients." in given.text
    assert {text for _, text in given.all("blockquote")} == {"syncope today", "cough at home"}
    long = Page(report_html(model, {"Cough": ["syncope " * 1000]}))
    assert {len(text) for _, text in long.all("blockquote")} <= set(range(280, 304))


def test_there_is_a_word_for_what_is_not_there(model):
    bare = TriageModel().set_params(**model.get_params(deep=False))
    everyone = model.pooled_model_
    record = structs.replace(
        everyone.record,
        objective=[],
        subgroups=[],
        by_topics=everyone.record.by_topics[:1],
        merit=Merit([], [700], [everyone.n_admitted]),
        columns=[],
        leading_words=everyone.record.leading_words[:1],
        axes=[],
        replicates=0,
        stability=[],
        occurrence=None,
    )
    no_axes = {"axes": everyone.axes[:0], "axis_effects": np.zeros(0)}
    single_topic = {"components": everyone.components[:1], "effects": np.zeros(1), "columns": ()}
    forecaster = structs.replace(everyone.forecaster, **single_topic, **no_axes)
    without = structs.replace(everyone, labels=everyone.labels[:1], record=record, forecaster=forecaster)
    bare.models_, bare.pooled_, bare.evaluations_, bare.classes_ = {}, {}, [], model.classes_
    bare.pooled_model_, bare.provenance_, bare.lineage_ = without, None, []
    bare.created_, bare.versions_ = model.created_, model.versions_
    text = Page(report_html(bare)).text
    for sentence in (
        "No topic changes the forecast of this complaint: every patient gets its base rate",
        "None: the forecast is made from the words of the note",
        "Nothing signals admission",
        "There is only one topic",
        "This method keeps no record of its iterations",
        "Only one number of topics was tried",
        "The methods have not been compared",
        "None were asked for",
    ):
        assert sentence in text


def test_each_method_is_drawn_at_its_best_number_of_topics(model):
    rows = [
        {"complaint": "Cough", "method": "nmf", "n_topics": k, "inputs": inputs, "auroc": auroc}
        for k, inputs, auroc in ((5, BOTH, 0.7), (10, BOTH, 0.8), (20, BOTH, 0.6), (30, NOTES, 0.9), (0, COLUMNS, 0.9))
    ]
    judged = structs.replace(model_card.evaluation(made_up(rows), model), same_patients=True)
    beside = model_card.curves_beside(model, "Cough", [judged])
    cough = model_report.complaint(model.models_["Cough"], evaluated=beside)
    assert [(curve.title, curve.own) for curve in cough.curves] == [("this model", True), ("NMF, 10 topics", False)]
    assert model_card.curves_beside(model, "Fall", [judged]) == []
    elsewhere = structs.replace(judged, same_patients=False)
    assert model_card.curves_beside(model, "Cough", [judged, elsewhere]) == beside
    assert model_card.curves_beside(model, "Cough", [elsewhere]) == []


def test_the_command_writes_it_once(model, tmp_path):
    model.save(tmp_path / "model.sonmf")
    (tmp_path / "notes.csv").write_text("note,complaint\nsyncope tonight,Cough\n,Cough\ncough,\n")
    out = tmp_path / "new" / "report.html"

    def run(*options, out=out):
        return CliRunner().invoke(app, ["report", str(tmp_path / "model.sonmf"), "-o", str(out), *options])

    assert str(out) in "".join(run().stdout.splitlines())
    first = out.read_text("utf-8")
    for wrong in (out, tmp_path / "report.txt", tmp_path):
        refused = run(out=wrong)
        assert refused.exit_code == 2
        assert len(refused.stderr.splitlines()) == 1
    assert out.read_text("utf-8") == first
    assert "notes of patients" in run("--notes", str(tmp_path / "notes.csv"), "--force").stdout
    assert {text for _, text in Page(out.read_text("utf-8")).all("blockquote")} == {"syncope tonight", "cough"}
    assert [path.name for path in out.parent.iterdir()] == ["report.html"]


def test_every_figure_is_explained(page):
    ((_, terms),) = (found for found in page.all("dl") if found[0]["class"] == "reading")
    clear = {"accuracy", "topics_used", "seconds"}
    assert [title for name, title in FIGURES.items() if name not in clear and title.lower() not in terms.lower()] == []
