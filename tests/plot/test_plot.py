"""A picture shows the numbers of what it was given."""

from __future__ import annotations

import re
from importlib import resources

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest

from sonmf import SONMF, plot
from sonmf.datasets import make_triage_notes
from sonmf.plot import canvas
from sonmf.stability import Stability
from sonmf.text import NotesVectorizer, top_words
from sonmf.triage import TriageModel, expected_admissions
from sonmf.triage.labels import label_of

mpl.use("agg")


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def corpus():
    words = NotesVectorizer(min_df=5)
    X = words.fit_transform(make_triage_notes(600, random_state=0)["note"])
    return words.get_feature_names_out(), X, SONMF(7, random_state=0).fit(X)


@pytest.fixture(scope="module")
def triage():
    notes = make_triage_notes(1500, complaints=["Fever", "Cough"], details=True, random_state=0)
    return TriageModel(n_topics=6, min_notes=300, own_models="always").fit(
        notes["note"], notes["disposition"], notes["complaint"], columns=notes[["age", "esi", "sex"]]
    )


def bars(ax):
    """Label and length of each bar from the top down."""
    names = [tick.get_text() for tick in ax.get_yticklabels()]
    return list(zip(names, [patch.get_width() for patch in ax.patches], strict=True))


def drawn(ax):
    """Draw for good: what matplotlib objects to, it objects to now."""
    ax.figure.canvas.draw()
    return ax


@pytest.mark.parametrize("which", [None, [5, 1]])
def test_topics_are_bars_of_their_words_with_the_sign_of_their_side(corpus, which):
    vocabulary, X, model = corpus
    axes = plot.topics(model, vocabulary, 3, X=X, which=which)
    found = top_words(model, vocabulary, 3, X=X)
    assert len(axes) == (7 if which is None else 2)
    for ax, k in zip(axes, which or range(7), strict=True):
        expected = [*found[k].positive, *((word, -strength) for word, strength in found[k].negative[::-1])]
        assert [name for name, _ in bars(ax)] == [word for word, _ in expected]
        assert np.allclose(np.abs([length for _, length in bars(ax)]), np.abs([s for _, s in expected]))
        assert [length > 0 for _, length in bars(ax)] == [True] * 3 + [False] * len(found[k].negative)
        drawn(ax)
    assert len(axes[0].figure.axes) == len(axes)  # no empty one is left


def test_convergence_is_the_excess_over_the_lowest_of_all(corpus):
    _, X, model = corpus
    other = SONMF(7, solver="procrustes", random_state=0, max_iter=500).fit(X)
    ax = drawn(plot.convergence({"a": model, "b": other}))
    lowest = min(model.objective_history_.min(), other.objective_history_.min())
    for line, one in zip(ax.get_lines(), (model, other), strict=True):
        expected = one.objective_history_ / lowest - 1
        assert np.allclose(line.get_ydata()[expected > 0], expected[expected > 0])
    assert ax.get_yscale() == "log"
    assert plot.convergence(model).get_legend() is None


def test_stability_is_sorted_and_marks_what_does_not_come_back():
    found = Stability.of([[0.5, 0.99, 0.9], [0.7, 0.97, 0.9]])
    ax = drawn(plot.stability(found, ["a", "b", "c"]))
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["b", "c", "a"]
    means = [line.get_xdata()[0] for line in ax.get_lines() if line.get_marker() == "o"]
    assert means == pytest.approx([0.98, 0.9, 0.6])
    colours = [line.get_color() for line in ax.get_lines() if line.get_marker() == "o"]
    assert colours[0] == colours[1] != colours[2]


def test_a_map_names_every_topic_and_needs_three(corpus):
    _, X, model = corpus
    ax = drawn(plot.topic_map(model, X, names=[f"t{k}" for k in range(7)]))
    assert sorted(text.get_text() for text in ax.texts) == [f"t{k}" for k in range(7)]
    with pytest.raises(ValueError, match="at least 3 topics, and the model has 2"):
        plot.topic_map(SONMF(2).fit(X), X)
    with pytest.raises(ValueError, match="names has 1 names for 7 topics"):
        plot.topic_map(model, X, names=["one"])
    with pytest.raises(ValueError, match="no document of X has any topic"):
        plot.topic_map(model, 0 * X)


def test_a_word_with_dollar_signs_is_written_as_it_is(corpus):
    """Matplotlib takes what stands between two of them for a formula, and refuses one that it cannot read."""
    vocabulary, X, model = corpus
    priced = [f"$\\{word}$" for word in vocabulary]
    drawn(plot.topic_map(model, X, names=priced[:7]))
    ax = drawn(plot.compass(model, priced, 0, 1))
    assert ax.texts
    assert {text.get_text() for text in ax.texts} <= set(priced)
    drawn(plot.topics(model, priced, 3)[0])
    drawn(plot.stability(Stability.of(np.eye(3)), priced[:3]))


def test_names_on_a_map_cover_nothing(corpus):
    _, X, model = corpus
    ax = drawn(plot.topic_map(model, X, names=[f"a rather long name {k}" for k in range(7)]))
    boxes = [text.get_window_extent() for text in ax.texts]
    assert len(boxes) > 3
    assert not any(a.overlaps(b) for k, a in enumerate(boxes) for b in boxes[k + 1 :])


def test_names_keep_their_distance_from_points_in_a_file_of_more_pixels(corpus):
    vocabulary, _, model = corpus
    ax = drawn(plot.compass(model, vocabulary, 2, 5))
    before = [text.get_window_extent().p0 - ax.transData.transform(text.xy) for text in ax.texts]
    ax.figure.set_dpi(3 * ax.figure.dpi)
    ax.figure.draw_without_rendering()
    after = [text.get_window_extent().p0 - ax.transData.transform(text.xy) for text in ax.texts]
    assert np.allclose(after, 3 * np.array(before), atol=6)


def test_a_compass_has_the_words_by_their_weights(corpus):
    vocabulary, _, model = corpus
    ax = drawn(plot.compass(model, vocabulary, 2, 5, n=25))
    at = np.asarray(ax.collections[0].get_offsets())
    weights = model.components_[[2, 5]].T
    farthest = np.argsort(-np.hypot(*weights.T), kind="stable")[:25]
    assert np.allclose(at, weights[farthest])
    colours = [mpl.colors.to_hex(colour) for colour in ax.collections[0].get_facecolors()]
    main = [x if abs(x) >= abs(y) else y for x, y in at]
    assert colours == [canvas.FOR if weight > 0 else canvas.AGAINST for weight in main]
    handles, said = ax.get_legend_handles_labels()
    named = {text: mpl.colors.to_hex(handle.get_facecolor()[0]) for handle, text in zip(handles, said, strict=True)}
    assert named == {"for the topic in which the word counts most": canvas.FOR, "against it": canvas.AGAINST}
    written = {text.get_text(): text.xy for text in ax.texts}
    assert len(written) > 5
    assert all(np.allclose(at[list(vocabulary[farthest]).index(word)], place) for word, place in written.items())
    boxes = [text.get_window_extent() for text in ax.texts]
    assert not any(a.overlaps(b) for k, a in enumerate(boxes) for b in boxes[k + 1 :])
    with pytest.raises(ValueError, match="topic_y=7 is no topic: the model has topics 0 to 6"):
        plot.compass(model, vocabulary, 0, 7)
    with pytest.raises(ValueError, match=r"topic_x=0\.5 is no topic"):
        plot.compass(model, vocabulary, 0.5, 1)
    with pytest.raises(ValueError, match="n=-3 must be a whole number of words"):
        plot.compass(model, vocabulary, 0, 1, n=-3)


def test_documents_are_sorted_by_their_main_topic(corpus):
    _, X, model = corpus
    shown = np.asarray(drawn(plot.documents(model, X, most=150)).images[0].get_array())
    assert shown.shape == (7, 150)
    main = shown.argmax(axis=0)
    assert (np.diff(main) >= 0).all()
    whole = np.asarray(plot.documents(model, X[:20]).images[0].get_array())
    assert np.allclose(np.sort(whole, axis=None), np.sort(model.transform(X[:20]), axis=None))


@pytest.mark.parametrize("complaint", [None, "Cough"])
def test_effects_are_those_of_the_classifier(triage, complaint):
    one = triage.models_[complaint] if complaint else triage.pooled_model_
    found = bars(drawn(plot.effects(triage, complaint)))
    strength = {f"{k} {one.names[k]}": one.strength[k] for k in range(6) if one.strength[k]}
    assert dict(found) == pytest.approx(strength)
    lengths = np.abs([length for _, length in found])
    assert (np.diff(lengths) <= 0).all()


def test_columns_are_drawn_as_the_record_has_them(triage):
    axes = plot.column_effects(triage)
    shapes = {label_of(shape.name): shape for shape in triage.pooled_model_.record.columns}
    titles = [ax.get_title(loc="left") for ax in axes]
    assert "age" in titles
    assert [shapes[name].moves for name in titles] == sorted((shapes[name].moves for name in titles), reverse=True)
    age = drawn(axes[titles.index("age")])
    assert list(age.get_lines()[0].get_ydata()) == [point.effect for point in shapes["age"].curve]
    bare = make_triage_notes(300, complaints=["Fever"], random_state=0)
    without = TriageModel(n_topics=3, measurements=False).fit(bare["note"], bare["disposition"])
    with pytest.raises(ValueError, match="no column moves the forecasts"):
        plot.column_effects(without)


def test_calibration_shows_the_bins(triage):
    ax = drawn(plot.calibration(triage))
    points = ax.containers[0].lines[0]
    bins = triage.pooled_model_.record.calibration.reliability
    assert list(points.get_xdata()) == [one.forecast for one in bins]
    assert list(points.get_ydata()) == [one.admitted for one in bins]


def test_beds_are_the_exact_distribution():
    p = np.random.default_rng(0).uniform(size=12)
    ax = drawn(plot.beds(p))
    heights = {round(patch.get_x() + patch.get_width() / 2): patch.get_height() for patch in ax.patches}
    mean = sum(beds * height for beds, height in heights.items())
    assert mean == pytest.approx(p.sum(), abs=0.01)
    assert ax.get_title(loc="left") == str(expected_admissions(p))


def test_axes_that_are_given_are_drawn_into(corpus):
    _, (first, second) = plt.subplots(1, 2)
    assert plot.beds([0.5], ax=first) is first
    assert plot.convergence(corpus[2], ax=second) is second


def test_a_colour_means_one_thing_the_same_in_pictures_and_pages(corpus, triage):
    style = (resources.files("sonmf.web") / "static" / "style.css").read_text("utf-8")
    meanings = re.findall(r"--(raises|lowers|for|against|together|instead|alarm): (#\w{6});", style)
    assert len(dict(meanings)) == len({colour for _, colour in meanings}) == 7
    assert all(getattr(canvas, name.upper()) == colour for name, colour in meanings[:4])
    vocabulary, _, model = corpus
    sides = {mpl.colors.to_hex(patch.get_facecolor()) for ax in plot.topics(model, vocabulary, 3) for patch in ax.patches}
    odds = {mpl.colors.to_hex(patch.get_facecolor()) for patch in plot.effects(triage).patches}
    assert sides == {canvas.FOR, canvas.AGAINST}
    assert odds <= {canvas.RAISES, canvas.LOWERS}
