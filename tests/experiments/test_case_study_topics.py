import numpy as np
from wards import ward

from sonmf.experiments import case_study_topics

NOTES, DISPOSITIONS, _ = ward(300)


def test_a_side_that_only_stands_for_another_topic_says_nothing_beyond_it():
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(4000, 3))
    Z[:, 1] -= np.maximum(Z[:, 0], 0)  # the second topic's negative side is full of notes of the first
    theta = 2 * np.maximum(Z[:, 0], 0) - 1.5 * np.maximum(-Z[:, 2], 0)
    y = (rng.uniform(size=4000) < 1 / (1 + np.exp(-theta))).astype(float)
    odds, errors = case_study_topics.side_log_odds(Z, y)
    apart = odds / errors
    assert apart[0, 0] > 10
    assert apart[1, 2] < -10
    assert abs(apart[1, 1]) < 3
    assert np.corrcoef(np.maximum(-Z[:, 1], 0), y)[0, 1] > 0.2  # alone it would seem to


def test_sides_that_separate_the_outcomes_have_finite_odds():
    Z = np.array([[1.0], [2], [-1], [-2]])
    odds, errors = case_study_topics.side_log_odds(Z, np.array([1.0, 1, 0, 0]))
    assert np.isfinite(odds).all()
    assert np.isfinite(errors).all()


def test_topics_are_ordered_by_the_length_of_their_amounts():
    topics = case_study_topics.theirs(NOTES)
    lengths = np.linalg.norm(topics.G, axis=0)
    assert (np.diff(lengths) <= 0).all()
    np.testing.assert_allclose(topics.F.T @ topics.F, np.eye(case_study_topics.TOPICS), atol=1e-10)
    positive, negative = topics.top(0)
    assert topics.F[positive[0], 0] == topics.F[:, 0].max()
    assert topics.F[negative[0], 0] == topics.F[:, 0].min()


def test_what_is_written_has_words_and_aggregates_and_no_note(tmp_path):
    admitted = [disposition == "admitted" for disposition in DISPOSITIONS]
    names = case_study_topics.write(NOTES, admitted, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names)
    text = "".join((tmp_path / name).read_text() for name in names if name.endswith(".md"))
    assert not any(note in text for note in NOTES if len(note.split()) > 2)
    rows = (tmp_path / "sides.md").read_text().splitlines()[2:]
    assert len(rows) == case_study_topics.TOPICS
