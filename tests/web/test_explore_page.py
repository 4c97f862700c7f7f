"""The page of topics of any model: whole, alone, and what a reader sees of it."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pandas as pd
import pytest
from pages import BANNER, NAMESPACES, Page
from screens import CLIPPED, DESKTOP, PHONE
from sklearn.decomposition import NMF

from sonmf import SONMF, BinarySONMF, SemiNMF, plot, simulate
from sonmf.text import NotesVectorizer, top_documents, top_words
from sonmf.text.cooccurrence import places
from sonmf.web.rendering import CARDS
from sonmf.web.standalone import LIBRARIES, MODULE, asset, bundle

HOSTILE = "</script><img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def corpus():
    from wards import ward

    notes = ward(500)[0]
    vectorizer = NotesVectorizer(negation="mark")
    X = vectorizer.fit_transform(notes)
    return notes, X, [vectorizer.spelling_[stem] for stem in vectorizer.get_feature_names_out()]


@pytest.fixture(scope="module")
def model(corpus):
    return SONMF(6, random_state=0).fit(corpus[1])


@pytest.fixture(scope="module")
def written(corpus, model, tmp_path_factory):
    notes, X, words = corpus
    return plot.explore(model, X, words, notes, tmp_path_factory.mktemp("explore") / "topics.html")


def test_it_has_map_compass_and_every_topic_with_its_words_and_documents(written, corpus, model):
    notes, X, words = corpus
    page = Page(written.read_text("utf-8"))
    assert [attrs["id"] for attrs, _ in page.all("section")] == ["map", "compass", "topic"]
    (placed,) = (data for data in page.data if "href" in data)
    (compass,) = (data for data in page.data if "weights" in data)
    G = model.transform(X)
    assert np.allclose([topic["energy"] for topic in placed["topics"]], (G**2).sum(axis=0) / (G**2).sum(), atol=1e-3)
    assert {topic["strength"] for topic in placed["topics"]} == {None}
    columns = [words.index(word) for word in compass["words"]]
    assert np.allclose(compass["weights"], model.components_[:, columns].T, atol=1e-3)
    assert compass["total"] == 500
    cards = page.all("article")
    assert sorted(attrs["id"] for attrs, _ in cards) == [f"topic-t{k}" for k in range(6)]
    named = top_words(model, words, 10, X=X)
    quoted = {text for _, text in page.all("blockquote")}
    for k in range(6):
        ((_, text),) = (card for card in cards if card[0]["id"] == f"topic-t{k}")
        assert all(word in text for word, _ in named[k].positive)
        assert all(notes[row] in quoted for row in top_documents(G, k, 3))
    assert "admission" not in page.text
    assert "odds" not in page.text


def test_it_is_one_file_that_fetches_nothing(written):
    html = written.read_text("utf-8")
    page = Page(html)
    assert page.code == [*map(asset, LIBRARIES), bundle(MODULE)]
    policy = next(attrs["content"] for attrs, _ in page.all("meta") if "http-equiv" in attrs)
    assert "default-src 'none'" in policy
    assert set(re.findall(r"https?://[^\s\"'`)<]+", html)) == NAMESPACES | BANNER
    assert not page.all("img", "iframe", "object")


def test_headings_are_in_order_and_links_lead_somewhere(written):
    page = Page(written.read_text("utf-8"))
    levels = [int(tag[1]) for tag, _, _ in page.tags if re.fullmatch("h[1-6]", tag)]
    assert levels[:2] == [1, 2]
    assert all(then <= now + 1 for now, then in itertools.pairwise(levels))
    places = [attrs["id"] for _, attrs, _ in page.tags if "id" in attrs]
    assert len(places) == len(set(places))
    assert {attrs["href"][1:] for attrs, _ in page.all("a")} <= set(places)


def test_documents_and_words_of_an_attacker_stay_text(corpus, model, tmp_path):
    _, X, words = corpus
    path = plot.explore(model, X, [f"{word}{HOSTILE}" for word in words], [HOSTILE] * 500, tmp_path / "t.html")
    page = Page(path.read_text("utf-8"))
    assert not page.all("img")
    assert HOSTILE in {text for _, text in page.all("blockquote")}


@pytest.mark.parametrize("k", [1, 2])
def test_one_or_two_topics_have_no_map(corpus, tmp_path, k):
    _, X, words = corpus
    text = Page(plot.explore(SONMF(k).fit(X), X, words, path=tmp_path / "t.html").read_text("utf-8")).text
    assert "A map needs three topics" in text
    assert ("A compass needs two topics" in text) == (k == 1)
    assert ("1 topic of 500 documents" in text) == (k == 1)
    assert "Typical documents" not in text


def test_topics_of_another_package_are_shown_too(corpus, tmp_path):
    _, X, words = corpus
    model = NMF(4, random_state=0, max_iter=500).fit(X)
    page = Page(plot.explore(model, X, words, path=str(tmp_path / "t.html")).read_text("utf-8"))
    assert len(page.all("article")) == 4


@pytest.mark.parametrize("make", [lambda: SemiNMF(4, random_state=0), lambda: BinarySONMF(4), lambda: SONMF(4, signed=True)])
def test_the_page_shows_the_amounts_of_the_model_whatever_it_is(corpus, tmp_path, make):
    """They are not [XF]+ for every model."""
    _, X, words = corpus
    X = (X > 0).astype(float)
    model = make().fit(X)
    page = Page(plot.explore(model, X, words, path=tmp_path / "t.html").read_text("utf-8"))
    (placed,) = (data for data in page.data if "href" in data)
    G = np.maximum(model.transform(X), 0)
    assert np.allclose([topic["energy"] for topic in placed["topics"]], (G**2).sum(axis=0) / (G**2).sum(), atol=1e-3)
    where = places(np.corrcoef(G.T))
    assert np.allclose([[topic["x"], topic["y"]] for topic in placed["topics"]], where, atol=2e-3)


def test_a_table_of_words_is_taken_without_a_warning(corpus, tmp_path):
    _, X, words = corpus
    frame = pd.DataFrame(X.toarray(), columns=list(words))
    plot.explore(NMF(3, random_state=0, max_iter=500).fit(frame), frame, words, path=tmp_path / "t.html")


def test_documents_must_be_those_of_x(corpus, model, tmp_path):
    notes, X, words = corpus
    with pytest.raises(ValueError, match="documents has 499 texts for the 500 rows of X"):
        plot.explore(model, X, words, notes[1:], tmp_path / "t.html")
    for wrong in ("a note", pd.DataFrame({"note": notes})):
        with pytest.raises(ValueError, match="such as one column of a table"):
            plot.explore(model, X, words, wrong, tmp_path / "t.html")
    with pytest.raises(ValueError, match="vocabulary has"):
        plot.explore(model, X, words[1:], notes, tmp_path / "t.html")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_it_is_read_in_a_browser(browser, check_accessible, written, corpus, model, size):
    with browser.new_context() as context:
        tab = context.new_page()
        asked, complaints = [], []
        tab.on("request", lambda request: asked.append(request.url))
        tab.on("console", lambda message: complaints.append(message.text) if message.type in ("error", "warning") else None)
        tab.on("pageerror", lambda error: complaints.append(str(error)))
        tab.set_viewport_size(size)
        tab.goto(written.as_uri())
        tab.wait_for_selector("#map .topic-list" if size == PHONE else "#map svg")
        tab.wait_for_selector("#compass svg.plot")
        assert tab.evaluate("document.documentElement.scrollWidth") <= size["width"]
        assert tab.evaluate(CLIPPED) == []
        check_accessible(tab)
        tab.click("#map .topic-list a[href='#topic-t3']" if size == PHONE else "#map g[data-topic='3'] circle")
        tab.wait_for_function("location.hash === '#topic-t3'")
        assert tab.locator("#topic-t3").is_visible()
        tab.select_option("#compass select >> nth=0", "2")
        words = [word for word, _ in top_words(model, corpus[2], 1, X=corpus[1])[2].positive]
        assert words[0] in tab.locator("#compass svg.plot").text_content()
        tab.fill("#find", "dialysis")
        shown = [one for one in tab.locator("#topic .topic").all() if one.is_visible()]
        assert tab.inner_text("#found") == f"{len(shown)} of 6 topics"
        assert len(shown) > 0
        assert all("dialysis" in one.text_content() for one in shown)
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
    assert complaints == []


def test_a_hundred_dots_cover_each_other_nowhere_and_distances_have_one_scale(browser, tmp_path):
    X = simulate.corpus(500, 300, random_state=0)
    path = plot.explore(SONMF(100, tol=0.01).fit(X), X, list(range(300)), path=tmp_path / "t.html")
    (placed,) = (data["topics"] for data in Page(path.read_text("utf-8")).data if "href" in data)
    with browser.new_context() as context:
        tab = context.new_page()
        tab.set_viewport_size(DESKTOP)
        tab.goto(path.as_uri())
        tab.wait_for_selector("#map svg")
        numbers, *circles = np.array(tab.evaluate(DOTS)).T
    x, y, r = circles
    apart = np.hypot(x[:, None] - x, y[:, None] - y) - (r[:, None] + r)
    assert apart[np.triu_indices(100, 1)].min() > -1
    here, there = (np.array([[placed[int(k)][axis] for axis in "xy"] for k in numbers]), np.column_stack([x, -y]))
    scale = [np.ptp(there[:, axis]) / np.ptp(here[:, axis]) for axis in (0, 1)]
    assert scale[0] == pytest.approx(scale[1], rel=0.25)  # but for dots that were pushed apart


def test_topics_beyond_the_largest_are_folded_until_somebody_goes_or_looks_for_them(browser, tmp_path):
    X, words = simulate.corpus(300, 200, random_state=0), [f"word{j}" for j in range(200)]
    model = SONMF(CARDS + 2, random_state=0).fit(X)
    path = plot.explore(model, X, words, path=tmp_path / "t.html")
    G = model.transform(X)
    *_, smallest = np.argsort(-(G**2).sum(axis=0), kind="stable")
    with browser.new_context() as context:

        def opened(size, drawn):
            tab = context.new_page()
            tab.set_viewport_size(size)
            tab.goto(path.as_uri())
            tab.wait_for_selector(drawn)
            return tab

        tab = opened(DESKTOP, "#map svg")
        assert sum(one.is_visible() for one in tab.locator("#topic .topic").all()) == CARDS
        tab.click(f"#map g[data-topic='{smallest}'] circle")
        tab.wait_for_selector(f"#topic-t{smallest} svg", state="visible")
        tab = opened(DESKTOP, "#map svg")
        tab.fill("#find", top_words(model, words, 1, X=X)[smallest].positive[0][0])
        assert tab.locator(f"#topic-t{smallest}").is_visible()
        tab = opened(PHONE, "#map .topic-list")
        link = tab.locator(f"#map .topic-list a[href='#topic-t{smallest}']")
        assert not link.is_visible()
        tab.click("#map .topic-list summary")
        link.click()
        tab.wait_for_selector(f"#topic-t{smallest} svg", state="visible")


def test_words_without_end_stay_on_the_page(browser, corpus, model, tmp_path):
    _, X, words = corpus
    path = plot.explore(model, X, [f"{word}{'pneumono' * 20}" for word in words], path=tmp_path / "t.html")
    with browser.new_context() as context:
        tab = context.new_page()
        tab.set_viewport_size(PHONE)
        tab.goto(path.as_uri())
        tab.wait_for_selector("#compass svg.plot")
        tab.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
        assert tab.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_a_topic_is_found_by_its_own_words_and_not_by_those_of_its_neighbours(browser, written, corpus, model):
    word = top_words(model, corpus[2], 2, X=corpus[1])[0].positive[0][0]
    with browser.new_context() as context:
        tab = context.new_page()
        tab.goto(written.as_uri())
        tab.fill("#find", word)
        shown = [one for one in tab.locator("#topic .topic").all() if one.is_visible()]
        told = [one.locator("h3, .words td, .note").all_text_contents() for one in shown]
        assert all(any(word in text.lower() for text in texts) for texts in told)
        tab.fill("#find", "comes instead of")
        assert tab.inner_text("#found") == "0 of 6 topics"


DOTS = """() => [...document.querySelectorAll("#map g[data-topic]")].map((dot) => {
  const circle = dot.querySelector("circle");
  return [dot.dataset.topic, ...["cx", "cy", "r"].map((name) => circle.getAttribute(name))].map(Number);
})"""
"""Number, place and radius of each dot of the map."""
