"""The map, the compass and the neighbours of topics tell what the model kept of its notes."""

from __future__ import annotations

import numpy as np
import pytest
from wards import ward

from sonmf.triage import TriageModel, model_report, topics_together


@pytest.fixture(scope="module")
def model():
    notes, dispositions, complaints = ward(1200)
    return TriageModel(6, own_models="always").fit(notes, dispositions, complaints)


def test_topics_are_placed_with_their_effect_and_their_share(model):
    one = model.models_["Cough"]
    kept = one.record.occurrence
    placed = model_report.topic_map(one)
    assert [topic.number for topic in placed] == list(range(6))
    assert [topic.energy for topic in placed] == kept.energy
    assert [topic.strength for topic in placed] == [round(float(strength), 2) for strength in one.strength]
    assert [topic.documents for topic in placed] == [kept.notes[k][k] for k in range(6)]
    at = np.array([(topic.x, topic.y) for topic in placed])
    far = ((at[:, None] - at[None]) ** 2).sum(axis=2)
    apart = np.triu_indices(6, 1)
    assert np.corrcoef(far[apart], 1 - np.array(kept.correlation)[apart])[0, 1] > 0.3


def test_neighbours_are_the_topics_that_come_with_one_most_and_least(model):
    one = model.pooled_model_
    r = np.array(one.record.occurrence.correlation)
    for topic in model_report.topics(one):
        others = np.delete(r[topic.number], topic.number)
        found = [neighbour.correlation for neighbour in topic.neighbours]
        expected = [*sorted(others[others >= 0.1], reverse=True)[:3], *sorted(others[others <= -0.1])[:3]]
        assert np.allclose(found, expected, atol=1e-3)
        assert all(abs(r[topic.number, one.number] - one.correlation) < 1e-3 for one in topic.neighbours)


def test_a_compass_has_the_weights_of_the_words(model):
    one = model.pooled_model_
    compass = topics_together.compass_of(one)
    for word, weights in zip(compass.words, compass.weights, strict=True):
        assert np.allclose(weights, one.components[:, one.spellings.index(word)], atol=1e-3)
    assert {word for topic in one.topics(10) for side in topic[:2] for word, _ in side} == set(compass.words)
    assert compass.total == 1200


def test_topics_alike_are_the_nearest_of_each_complaint_over_the_words_of_all(model):
    place = {word: j for j, word in enumerate(sorted({word for one in model.by_name_.values() for word in one.words}))}

    def spread(one, topic):
        found = np.zeros(len(place))
        found[[place[word] for word in one.words]] = one.components[topic]
        return found / np.linalg.norm(found)

    everywhere = topics_together.everywhere(model, list(model.by_name_))
    assert everywhere.keys() == model.by_name_.keys()
    for name, here in model.by_name_.items():
        assert everywhere[name] == topics_together.elsewhere(model, name)
        for topic, found in enumerate(everywhere[name]):
            expected = {}
            for complaint, other in model.by_name_.items():
                cosines = [spread(here, topic) @ spread(other, k) for k in range(other.n_topics)]
                if complaint != name and max(cosines) >= 0.5:
                    k = int(np.argmax(cosines))
                    expected[complaint] = (k, other.names[k], pytest.approx(cosines[k], abs=1e-3))
            assert {like.complaint: (like.number, like.name, like.cosine) for like in found} == expected
            assert [like.cosine for like in found] == sorted((like.cosine for like in found), reverse=True)
    assert any(everywhere["Cough"])
