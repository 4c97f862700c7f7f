"""A complaint has a model of its own only where that forecasts held-out patients better than the model of all complaints."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from wards import ward

from sonmf.errors import InputError
from sonmf.triage import TriageModel
from sonmf.triage.classifier import better_without_each_fold


def turned(n, seed):
    """Patients with a third complaint in which what is grave for the others is harmless."""
    notes, dispositions, complaints = ward(n, seed, complaints=("Cough", "Fall", "Turned"))
    flip = {"admitted": "discharged", "discharged": "admitted"}
    pairs = zip(dispositions, complaints, strict=True)
    return notes, [flip[outcome] if complaint == "Turned" else outcome for outcome, complaint in pairs], complaints


def test_a_complaint_that_differs_keeps_its_own_model_and_one_that_does_not_is_pooled(tmp_path):
    model = TriageModel(n_topics=4, measurements=False).fit(*turned(1200, 0))
    assert "Turned" in model.models_
    loss = {difference.name: difference for difference in model.models_["Turned"].record.against_pooled}["log_loss"]
    assert loss.b < loss.a
    assert loss.high < 0
    alike = TriageModel(n_topics=4, measurements=False).fit(*ward(600, seed=1))
    assert set(alike.models_) | set(alike.pooled_) == {"Cough", "Fall"}
    assert alike.pooled_
    for reason in alike.pooled_.values():
        own, pooled = map(float, re.search(r"log loss (\d\.\d+) instead of (\d\.\d+)", reason).groups())
        assert own > pooled - 0.02
    model.save(tmp_path / "m.sonmf")
    again = TriageModel.load(tmp_path / "m.sonmf")
    assert again.models_["Turned"].record.against_pooled == model.models_["Turned"].record.against_pooled
    assert again.get_params()["own_models"] == "better"


def test_all_complaints_keep_their_topics_where_that_is_asked_for():
    always = TriageModel(n_topics=3, measurements=False, own_models="always").fit(*ward(600))
    assert set(always.models_) == {"Cough", "Fall"}
    assert not always.pooled_
    with pytest.raises(InputError, match="own_models='never' must be 'better' or 'always'"):
        TriageModel(own_models="never").fit(*ward(300))


@given(st.integers(0, 10**6))
def test_no_patient_chooses_the_forecast_that_it_is_judged_by(seed):
    """Whatever the outcomes of a fold are, its forecasts are those that the other folds choose."""
    random = np.random.default_rng(seed)
    own, other, y, fold = random.normal(size=40), random.normal(size=40), random.integers(0, 2, 40), np.arange(40) % 4
    odds = better_without_each_fold(own, other, y, fold)
    for f in range(4):
        changed = np.where(fold == f, 1 - y, y)
        assert (better_without_each_fold(own, other, changed, fold)[fold == f] == odds[fold == f]).all()
        seen = fold != f
        losses = [np.log1p(np.exp(-np.where(y == 1, 1, -1) * way))[seen] for way in (own, other)]
        better = stats.ttest_rel(losses[1], losses[0]).statistic > 1
        assert (odds[fold == f] == (own if better else other)[fold == f]).all()
