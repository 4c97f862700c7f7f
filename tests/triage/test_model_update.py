"""A model after an update: what must change, what must not, and where it says it comes from."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from sklearn.model_selection import StratifiedKFold
from wards import KINDS, beside, ward

from sonmf.datasets import make_triage_notes
from sonmf.errors import InputError
from sonmf.triage import Patients, TriageModel, model_update, update
from sonmf.triage.drift_reference import FORECAST, histogram_cells
from sonmf.triage.lineage import has_seen, learned_from, lineage
from sonmf.triage.model_update import apply_line
from sonmf.triage.provenance import Provenance
from sonmf.triage.recalibration import UNCHANGED, Line
from sonmf.triage.warm_start import WarmStart

OUTCOMES = np.array(["discharged", "admitted"], object)


@pytest.fixture(autouse=True)
def _two_refits_judge(monkeypatch):
    """Instead of three: they cost most of the time here."""
    monkeypatch.setattr(model_update, "REFITS", 2)


@pytest.fixture(scope="module")
def patients():
    notes, dispositions, complaints = ward(900)
    return notes, dispositions, complaints, beside(dispositions)


@pytest.fixture(scope="module")
def model(patients):
    found = TriageModel(n_topics=6, kinds=KINDS, own_models="always").fit(*patients)
    for one in found.by_name_.values():
        found.put(one.with_labels({1: f"second of {one.name or 'all'}"}))
    return found


@pytest.fixture(scope="module")
def later():
    notes, dispositions, complaints = ward(1200, seed=7)
    notes[:40] = ["zebra"] * 40  # no known word: the forecast starts from the base rate
    return notes, complaints, beside(dispositions, seed=7)


def outcomes(model, later, line, seed=0):
    """Drawn from the forecasts of each patient after the line."""
    odds = line.of(model.log_odds(*later))
    return OUTCOMES[(np.random.default_rng(seed).random(len(odds)) < expit(odds)).astype(int)]


def updated(model, later, line, **settings):
    notes, complaints, columns = later
    return update(model, notes, outcomes(model, later, line), complaints, columns, **settings)


def test_a_shift_is_recovered_and_the_figures_improve(model, later):
    found = updated(model, later, Line(1.0, 1.0))
    for change in found.changes:
        assert change.line.intercept / change.line.slope == pytest.approx(1.0, abs=0.5)
        assert change.difference("log_loss").difference < 0
        assert change.forecast < change.admitted / change.notes
    assert not np.allclose(found.model.log_odds(*later), model.log_odds(*later))


def test_every_forecast_is_the_line_of_the_old_one_and_is_explained_exactly(model, later, tmp_path):
    found = updated(model, later, Line(-0.7, 0.6))
    lines = {change.name: change.line for change in found.changes}
    assert all(line.slope not in (0, 1) for line in lines.values())
    notes, complaints, columns = later
    old, new = model.log_odds(*later), found.model.log_odds(*later)
    expected = [lines[name].of(odds) for name, odds in zip(complaints, old, strict=True)]
    assert np.allclose(new, expected, atol=1e-10)
    found.model.save(tmp_path / "new.sonmf")
    again = TriageModel.load(tmp_path / "new.sonmf")
    assert (again.log_odds(*later) == new).all()
    for i in (0, 50, 51, 52):
        why = again.explain(notes[i], complaints[i], {name: values[i] for name, values in columns.items()})
        parts = [part.contribution for part in (*why.topics, *why.axes, *why.columns)]
        assert why.intercept + sum(parts) == pytest.approx(why.log_odds, abs=1e-10)
        assert why.log_odds == pytest.approx(new[i], abs=1e-10)


def test_curves_of_columns_and_signals_follow(model, later):
    found = updated(model, later, Line(-0.7, 0.6)).model
    for name, old in model.by_name_.items():
        new = found.by_name_[name]
        slope = new.forecaster.recalibration.slope
        for before, after in zip(old.record.columns, new.record.columns, strict=True):
            assert after.moves == pytest.approx(slope * before.moves)
            assert [p.effect for p in after.curve] == pytest.approx([slope * p.effect for p in before.curve])
        read = old.forecaster.encode(later[0], later[2]), new.forecaster.encode(later[0], later[2])
        y = np.zeros(len(later[0]))
        assert old.merit(read[0], y) == new.merit(read[1], y)  # the same patients show the same signals


def test_what_a_monitor_remembers_of_the_forecasts_moves_with_them(model, later):
    """The same patients lie between the same edges: a recalibration is no drift."""
    one = model.pooled_model_
    new = apply_line(one, Line(-0.7, 0.6))
    odds = [some.forecaster.log_odds(some.forecaster.encode(later[0], later[2])) for some in (one, new)]
    mine, its = (
        next(histogram.edges for histogram in some.record.reference.histograms if histogram.kind == FORECAST)
        for some in (one, new)
    )
    assert mine != its
    assert (
        np.bincount(histogram_cells(mine, expit(odds[0]))).tolist()
        == np.bincount(histogram_cells(its, expit(odds[1]))).tolist()
    )


def test_two_lines_are_one(model):
    one = model.pooled_model_
    twice = apply_line(apply_line(one, Line(0.3, 0.8)), Line(-0.2, 1.5))
    once = apply_line(one, Line(-0.2, 1.5).after(Line(0.3, 0.8)))
    assert twice.forecaster.recalibration == pytest.approx(once.forecaster.recalibration)
    assert twice.forecaster.base_log_odds == pytest.approx(once.forecaster.base_log_odds)
    assert twice.record.calibration.slope == pytest.approx(once.record.calibration.slope)
    assert apply_line(one, UNCHANGED) is one


def test_what_cannot_be_judged_stays_and_says_why(model, later):
    notes, complaints, columns = later
    y = outcomes(model, later, Line(2.0, 1.0))
    few = np.array(complaints) == "Cough"
    few[np.flatnonzero(few)[15:]] = False
    rows = np.flatnonzero(few | (np.array(complaints) == "Fall"))
    found = update(
        model,
        [notes[i] for i in rows],
        y[rows],
        [complaints[i] for i in rows],
        {name: np.asarray(values, object)[rows] for name, values in columns.items()},
    )
    reasons = {change.name: change.reason for change in found.changes}
    assert "at least 10 are needed" in reasons["Cough"]
    assert found.model.models_["Cough"] is model.models_["Cough"]
    assert found.model.models_["Fall"].forecaster.recalibration != UNCHANGED
    wrong = update(model, notes, outcomes(model, later, Line(0.0, -1.0)), complaints, columns)
    assert all("no recalibration helps" in change.reason for change in wrong.changes)
    assert all(wrong.model.by_name_[name] is one for name, one in model.by_name_.items())


def test_the_old_model_stays_as_it_is(model, later, patients):
    before = model.log_odds(*later)
    labels = [list(one.labels) for one in model.by_name_.values()]
    for how in ("recalibrate", "refit"):
        updated(model, later, Line(1.0, 1.0), how=how)
    assert (model.log_odds(*later) == before).all()
    assert [list(one.labels) for one in model.by_name_.values()] == labels
    assert model.lineage_ == []


def test_a_refit_to_the_same_patients_keeps_topics_names_and_numbers(model, patients):
    found = update(model, *patients, how="refit")
    for change in found.changes:
        old, new = model.by_name_[change.name], found.model.by_name_[change.name]
        assert [topic.place for topic in change.topics] == list(range(old.n_topics))
        assert min(topic.cosine for topic in change.topics) > 0.99
        assert new.labels == old.labels
        assert new.words == old.words
        assert [column.kind for column in new.columns] == [column.kind for column in old.columns]


def test_a_refit_keeps_the_numbers_of_topics_and_their_names():
    """From the usual start, other patients give topics another order."""
    may, june = (make_triage_notes(1000, complaints=["Cough"], random_state=month) for month in (5, 6))
    model = TriageModel(n_topics=8, measurements=False).fit(may["note"], may["disposition"])
    anew = TriageModel(n_topics=8, measurements=False).fit(june["note"], june["disposition"])
    model.put(model.pooled_model_.with_labels({k: f"topic {k} of May" for k in range(8)}))
    (change,) = (found := update(model, june["note"], june["disposition"], how="refit")).changes
    old, new, other = (one.pooled_model_ for one in (model, found.model, anew))
    places, _ = WarmStart(old.words, old.components).found_in(WarmStart(other.words, other.components))
    alike = [k for k, topic in enumerate(change.topics) if topic.alike]
    assert len(alike) >= 4
    assert [change.topics[k].place for k in alike] == alike
    assert [places[k] for k in alike] != alike
    assert [label for label in new.labels if label] == [f"topic {k} of May" for k in alike]


def test_names_follow_the_words_of_a_topic():
    """Counterparts in shuffled order, over words some of which only one of the fits has."""
    words = ["ankle", "cough", "fever", "rash"]
    old = WarmStart(words, np.eye(4)[:3])
    new = WarmStart(["cough", "fever", "rash", "zoster"], np.array([[0, 1.0, 0, 0], [0, 0, 0, 1], [1, 0, 0, 0]]))
    places, cosines = old.found_in(new)
    assert (places[1], places[2]) == (2, 0)
    assert cosines.tolist() == [0, 1, 1]  # the ankle is gone, and zoster is new


def test_a_start_over_other_words_is_orthonormal(model):
    one = model.pooled_model_
    start = WarmStart(one.words, one.components)

    class Words:
        def __init__(self, words):
            self.words = words

        def get_feature_names_out(self):
            return self.words

    F = start.among(Words([*one.words[::2], "zz"]), one.n_topics)
    assert F.shape[0] == len(one.words[::2]) + 1
    assert np.allclose(F.T @ F, np.eye(F.shape[1]), atol=1e-10)
    assert np.allclose(start.among(Words(one.words), one.n_topics), one.components.T, atol=1e-10)


def test_the_line_grows_by_one_with_every_update(model, later, tmp_path):
    notes, complaints, columns = later
    line, current = lineage(model), model
    assert [step.how for step in line] == ["fit"]
    for n, how in enumerate(("recalibrate", "refit", "recalibrate"), start=1):
        current.save(tmp_path / f"{n}.sonmf")
        found = update(
            current, notes, outcomes(model, later, Line(1.0, 1.0), n), complaints, columns, how=how, source=f"{n}.csv"
        )
        assert len(lineage(found.model)) == len(lineage(current)) + 1
        step, parent = lineage(found.model)[-1], lineage(found.model)[-2]
        assert (step.how, step.source, step.notes, step.sha256) == (how, f"{n}.csv", len(notes), "")
        assert parent.sha256 == current.sha256_ != ""
        assert has_seen(found.model, step.data)
        assert not has_seen(current, step.data)
        found.model.save(tmp_path / "updated.sonmf")
        current = TriageModel.load(tmp_path / "updated.sonmf")
        assert current.lineage_ == found.model.lineage_
    assert current.fit(notes, outcomes(model, later, UNCHANGED), complaints, columns).lineage_ == []


def test_a_recalibrated_model_is_no_surer_than_its_latest_patients(model, later):
    notes, complaints, columns = later
    few = notes[:300], complaints[:300], {name: values[:300] for name, values in columns.items()}
    once = updated(model, few, Line(1.5, 1.0)).model
    assert [learned_from(model, name) for name in model.by_name_] == [one.n_notes for one in model.by_name_.values()]
    assert learned_from(once, "") == 300
    for name, one in once.models_.items():
        unchanged = one.forecaster.recalibration == UNCHANGED
        assert learned_from(once, name) == (one.n_notes if unchanged else round(one.n_notes / 3))
    again = update(once, notes, outcomes(once, later, UNCHANGED), complaints, columns, how="refit").model
    assert learned_from(again, "") == 1200


def test_what_is_wrong_is_refused(model, patients):
    notes, dispositions, *_ = patients
    with pytest.raises(ValueError, match="how='renew' is not known: choose one of recalibrate, refit"):
        update(model, notes, dispositions, how="renew")
    with pytest.raises(ValueError, match="disposition has 3 values for 900 notes"):
        update(model, notes, dispositions[:3])
    with pytest.raises(ValueError, match="no disposition is 'admitted'"):
        update(model, notes, ["home"] * 900)


def test_columns_may_come_as_a_table(model, patients):
    notes, dispositions, complaints, columns = patients
    tables = (update(model, notes, dispositions, complaints, some).changes for some in (columns, pd.DataFrame(columns)))
    assert next(tables) == next(tables)


@pytest.mark.parametrize(("n", "admitted"), [(102, 22), (199, 100), (400, 99), (400, 301)])
def test_too_few_patients_are_no_refit(model, n, admitted):
    notes, _, complaints = ward(n, seed=3)
    dispositions = ["admitted"] * admitted + ["discharged"] * (n - admitted)
    with pytest.raises(InputError, match=f"there are {n}, of them {admitted} admitted: recalibrate instead, or wait"):
        update(model, notes, dispositions, complaints, how="refit")


def test_a_refit_is_judged_on_patients_that_neither_model_has_seen(later):
    """By another way: a fit to the patients of the other folds, and its forecasts for the fold that is left."""
    notes, dispositions, _ = ward(500)
    model = TriageModel(n_topics=3, measurements=False).fit(notes, dispositions)
    notes = later[0][:600]
    y = outcomes(model, [notes], Line(0.5, 0.8))
    refitted = update(model, notes, y, how="refit")
    outcome = (y == "admitted").astype(float)
    losses = np.empty(len(y))
    for seen, out in StratifiedKFold(model_update.REFITS, shuffle=True, random_state=0).split(outcome, outcome):
        part = TriageModel(n_topics=3, measurements=False)
        part.fit_patients(Patients.given([notes[i] for i in seen], y[seen]), earlier=model)
        odds = part.log_odds([notes[i] for i in out])
        losses[out] = np.logaddexp(0, odds) - outcome[out] * odds
    assert refitted.comparison["log_loss"].b == pytest.approx(losses.mean(), abs=1e-9)
    assert refitted.comparison.patients == len(y)


def test_the_refits_that_judge_keep_a_patient_together_and_have_the_models_of_the_refit(monkeypatch):
    """Each patient comes twice. A complaint with enough patients for a model has fewer than that in a part of them."""
    notes, dispositions, complaints = (np.tile(values, 2) for values in ward(240))
    frame = pd.DataFrame({"note": notes, "disposition": dispositions, "complaint": complaints})
    patients = Patients.read(frame.assign(who=np.arange(480) % 240), Provenance.request(patient="who"))
    fewest = min(rows for name, (rows, _) in patients.counts().items() if name)
    model = TriageModel(2, min_notes=fewest, own_models="always", measurements=False).fit_patients(patients)
    fits = []

    def remember(*given, **more):
        fits.append((given[1], fit_like(*given, **more)))
        return fits[-1][1]

    fit_like = model_update._fit_like
    monkeypatch.setattr(model_update, "_fit_like", remember)
    model_update.refit(model, patients)
    (_, whole), *parts = fits
    assert len(parts) == model_update.REFITS
    for part, refitted in parts:
        assert set(np.unique(part.person, return_counts=True)[1]) == {2}
        assert len(part) < 480
        assert len(set(refitted.models_) & set(whole.models_)) > 0
    assert whole.min_notes == fewest


def test_a_refit_to_noise_is_no_improvement(model, later):
    notes, complaints, columns = later
    y = OUTCOMES[np.random.default_rng(0).integers(0, 2, len(notes))]
    refitted = update(model, notes, y, complaints, columns, how="refit")
    assert not refitted.comparison.improves
    assert all(change.difference("auroc").b < 0.6 for change in refitted.changes)
