"""Directions of words made from the outcome, in the model of a complaint: honest in training, exact in explanations."""

import numpy as np
import pytest
from msgspec import structs
from sklearn.metrics import roc_auc_score
from wards import ward

from sonmf import OutcomeAxes
from sonmf.datasets import make_triage_notes
from sonmf.triage import TriageModel, evaluate, lasso, update
from sonmf.triage.axes import axis_reports
from sonmf.triage.model_update import apply_line
from sonmf.triage.recalibration import Line

FOR, AGAINST = "zebra", "quokka"  # planted: one word for admission, one against it


def planted(n=900, seed=0):
    """Notes whose outcome is decided by two words that no topic of two would be about."""
    notes, _, _ = ward(n, seed=seed)
    random = np.random.default_rng(seed)
    word = random.choice([FOR, AGAINST, ""], n, p=[0.15, 0.15, 0.7])
    admitted = random.random(n) < np.select([word == FOR, word == AGAINST], [0.9, 0.05], 0.4)
    return [f"{note} {extra}" for note, extra in zip(notes, word, strict=True)], np.where(admitted, "admitted", "home")


@pytest.fixture(scope="module")
def model():
    return TriageModel(2, measurements=False).fit(*planted())


def test_a_planted_word_is_found_by_the_axis_and_read_in_both_directions(model):
    fitted = model.pooled_model_
    first = fitted.axis_words(1)[0]
    assert ([word for word, _ in first.positive], [word for word, _ in first.negative]) == ([FOR], [AGAINST])
    assert fitted.axis_strength[0] > 0
    for word, sign in ((FOR, 1), (AGAINST, -1)):
        part = next(part for part in model.explain(f"cough {word}").axes if part.name == "admission itself 1")
        assert sign * part.words[word] > 0
    (axis, _) = axis_reports(fitted)
    assert axis.positive[0][0] == FOR


def test_axes_forecast_new_patients_better_than_two_topics_alone(model):
    notes, outcomes = planted(seed=1)
    alone = TriageModel(2, measurements=False, outcome_axes=0).fit(*planted())
    assert alone.explain(notes[0]).axes == []
    assert alone.pooled_model_.axes.shape[0] == 0
    with_axes, without = (roc_auc_score(outcomes == "admitted", each.log_odds(notes)) for each in (model, alone))
    assert with_axes > without + 0.05


def test_axes_are_those_of_the_estimator_and_orthogonal_to_the_topics(model):
    fitted, (notes, outcomes) = model.pooled_model_, planted()
    y = (outcomes == "admitted").astype(float)
    X = fitted.vectorizer.transform(notes)
    expected = OutcomeAxes(2, orthogonal_to=fitted.components, folds=lasso.fold_numbers(y)).fit(X, y).components_
    np.testing.assert_allclose(fitted.axes, expected, atol=1e-10)
    both = np.vstack([fitted.components, fitted.axes])
    np.testing.assert_allclose(both @ both.T, np.eye(4), atol=1e-10)


def test_shuffled_outcomes_are_not_forecast_neither_in_the_fit_nor_in_an_evaluation():
    """The mean over several draws of the outcomes: what leaked would lift it, as axes scored on their own patients do to .8."""
    notes = make_triage_notes(300, complaints=["Fever"], random_state=0)
    judged, reported = [], []
    for seed in range(6):
        outcomes = notes["disposition"].sample(frac=1, random_state=seed).to_numpy()
        fitted = TriageModel(4, measurements=False, random_state=seed).fit(notes["note"], outcomes).pooled_model_
        reported.append(fitted.record.out_of_fold.auroc)
        asked = {"methods": ["sonmf"], "n_topics": 4, "folds": 3, "measurements": False, "random_state": seed}
        judged.append(evaluate(notes["note"], outcomes, processes=1, **asked).summary()[0]["auroc"])
    for aurocs in (reported, judged):
        assert abs(np.mean(aurocs) - 0.5) < 0.045  # three standard errors


def test_a_complaint_with_few_of_one_outcome_has_axes_of_all_complaints():
    notes, outcomes = planted()
    complaints = np.repeat(["Common", "Rare"], [700, 200])
    rare = np.flatnonzero(complaints == "Rare")
    outcomes = outcomes.copy()
    outcomes[rare] = "home"
    outcomes[rare[:12]] = "admitted"
    fitted = TriageModel(2, measurements=False, min_notes=100).fit(notes, outcomes, complaints).models_["Rare"]
    y, X = (outcomes == "admitted").astype(float), fitted.vectorizer.transform(notes)
    fold = np.empty(len(y), int)
    fold[rare], fold[:700] = lasso.fold_numbers(y[rare]), np.arange(700) % lasso.FOLDS
    order = np.concatenate([rare, np.arange(700)])
    expected = OutcomeAxes(2, orthogonal_to=fitted.components, folds=fold[order]).fit(X[order], y[order]).components_
    np.testing.assert_allclose(fitted.axes, expected, atol=1e-10)
    assert fitted.axis_words(1)[0].positive[0][0] == FOR  # which twelve patients cannot tell


def test_axes_come_back_from_a_file_are_kept_by_a_recalibration_and_made_anew_by_a_refit(model, tmp_path):
    model.save(tmp_path / "m.sonmf")
    again, old = TriageModel.load(tmp_path / "m.sonmf").pooled_model_, model.pooled_model_
    assert (again.axes == old.axes).all()
    assert again.record.axes == old.record.axes
    recalibrated = apply_line(old, Line(0.5, 2.0))
    assert (recalibrated.axes == old.axes).all()
    assert recalibrated.axis_effects == pytest.approx(2 * old.axis_effects)
    refitted = update(model, *planted(seed=3), how="refit").model
    assert refitted.outcome_axes == 2
    assert refitted.pooled_model_.axis_words(1)[0].positive[0][0] == FOR
    assert not np.allclose(refitted.pooled_model_.axes[0, :5], old.axes[0, :5])


def test_axes_that_lean_on_a_topic_are_not_written(model, tmp_path):
    fitted = model.pooled_model_
    leaning = structs.replace(fitted.forecaster, axes=fitted.components[:2])
    broken = TriageModel(2, measurements=False).fit(*planted(300))
    broken.put(structs.replace(fitted, forecaster=leaning))
    with pytest.raises(ValueError, match="not orthogonal to the topics"):
        broken.save(tmp_path / "m.sonmf")


@pytest.mark.parametrize("wrong", [-1, 5, 1.5, True, "two"])
def test_a_number_of_axes_that_cannot_be_made_is_refused(wrong):
    with pytest.raises(ValueError, match="outcome_axes="):
        TriageModel(2, outcome_axes=wrong).fit(*planted(60))
