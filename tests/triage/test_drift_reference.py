"""What a model remembers of its patients: counts that add up, edges that name nobody, and words judged as those of others."""

import numpy as np
import pytest
from msgspec import structs
from wards import KINDS, beside, ward

from sonmf.text import NotesVectorizer
from sonmf.triage import TriageModel
from sonmf.triage.column_effects import SMALLEST
from sonmf.triage.drift_reference import histogram_cells, make_reference


@pytest.fixture(scope="module")
def model():
    notes, dispositions, _ = ward(500)
    return TriageModel(n_topics=3, kinds=KINDS).fit(notes, dispositions, None, beside(dispositions))


def test_every_patient_is_counted_once_and_no_range_is_small(model):
    found = model.pooled_model_.record.reference
    assert {(one.kind, one.name) for one in found.histograms} >= {
        ("forecast", ""), ("topic", "0"), ("topic", "2"), ("column", "hr"), ("column", "level"), ("column", "coin"),
    }  # fmt: skip
    for one in found.histograms:
        assert sum(one.counts) == 500
        assert not one.edges or min(one.counts[:-1]) >= SMALLEST
        assert one.edges == sorted(one.edges)
    assert found.words.notes == 500


def test_cells_are_ranges_and_the_last_is_for_nothing():
    values = np.array([-np.inf, 0.0, 0.5, 1.0, 1.5, np.nan])
    assert histogram_cells([0.0, 1.0], values).tolist() == [3, 0, 1, 1, 2, 3]


def test_a_model_file_keeps_it(model, tmp_path):
    model.save(tmp_path / "m.sonmf")
    assert TriageModel.load(tmp_path / "m.sonmf").pooled_model_.record.reference == model.pooled_model_.record.reference


@pytest.mark.parametrize(
    "change",
    [
        {"name": "9"},
        {"kind": "planet"},
        {"counts": [1]},
        {"edges": [2.0, 1.0], "counts": [5, 5, 5, 5]},
        {"counts": [-1] * 11},
        {"kind": "column", "name": "nothing"},
    ],
)
def test_what_no_fit_leaves_is_refused(model, tmp_path, change):
    one = model.pooled_model_
    found = one.record.reference
    broken = TriageModel(n_topics=3)
    vars(broken).update(vars(model))

    def save():
        wrong = structs.replace(found, histograms=[structs.replace(found.histograms[1], **change)])
        broken.pooled_model_ = structs.replace(one, record=structs.replace(one.record, reference=wrong))
        broken.save(tmp_path / "m.sonmf")

    with pytest.raises(ValueError, match="histogram"):  # by the declaration that a loaded file must fit
        save()
    assert list(tmp_path.iterdir()) == []


def test_words_of_the_fit_are_judged_as_those_of_other_notes():
    """The share of unknown words that the fit expects is nearer to that of new notes than the share among its own."""
    random = np.random.default_rng(0)
    chances = 1 / np.arange(1, 2001)
    words = np.array(
        [
            f"w{'abcdefghij'[k % 10]}{'klmnopqrst'[k // 10 % 10]}{'uvwxyzabcd'[k // 100 % 10]}q{'efghi'[k // 1000]}"
            for k in range(2000)
        ]
    )
    notes = [" ".join(random.choice(words, 12, p=chances / chances.sum())) for _ in range(600)]
    fit, new = notes[:300], notes[300:]
    vectorizer = NotesVectorizer(stem=False).fit(fit)

    def share(counts):
        return counts[:, 1].sum() / counts[:, 0].sum()

    own, expected, found = (
        share(vectorizer.count_words(some, of_the_fit=held)) for some, held in ((fit, False), (fit, True), (new, False))
    )
    assert own < expected
    assert abs(expected - found) < abs(own - found)


def test_words_are_counted_one_by_one():
    vectorizer = NotesVectorizer(min_df=2, negation="mark", ngram_range=(1, 1)).fit(["cough fever", "cough fever", "no cough"])
    notes = ["cough zebra, no cough", None, "the and 42"]
    counts = vectorizer.count_words(notes)
    assert counts.tolist() == [[4, 3], [0, 0], [0, 0]]
    assert (counts[:, 0] - counts[:, 1] == vectorizer.transform(notes).sum(axis=1)).all() or vectorizer.weighting != "count"


def test_patients_that_are_given_make_the_same_histograms_but_for_the_forecast(model):
    notes, dispositions, _ = ward(500)
    one = model.pooled_model_
    read = one.forecaster.encode(notes, {name: np.array(values, object) for name, values in beside(dispositions).items()})
    again = make_reference(one.forecaster, read, notes, np.zeros(500), of_the_fit=True)
    kept = one.record.reference
    by_fold = {"", *(str(one.n_topics + axis) for axis in range(len(one.axes)))}  # of the fit: without the patient's own fold
    same, as_kept = ([h for h in there.histograms if h.name not in by_fold] for there in (again, kept))
    assert same == as_kept
    assert {h.name for h in kept.histograms} >= by_fold
    assert again.words == kept.words
