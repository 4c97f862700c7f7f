"""Columns beside the note: exact parts, centred effects, and one sentence for what cannot be read."""

import numpy as np
import pandas as pd
import pytest
import torture_model_file as torture
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression
from sklearn.preprocessing import SplineTransformer
from wards import ward

from sonmf.text import NotesVectorizer
from sonmf.text.note_numbers import read_measurements
from sonmf.triage import TriageModel, evaluate
from sonmf.triage.column_effects import MISSING, OTHER, Category, Number
from sonmf.triage.columns import column_arrays, convert_values, guess_kind, kinds_of
from sonmf.triage.evaluation import Cell, Study, read_cell, run_cell
from sonmf.triage.evaluation_results import BOTH, EvaluationSettings
from sonmf.triage.known_columns import _uncorrelating
from sonmf.triage.patients import Patients

HISTORIES = ["heart failure", "asthma and eczema", "none known", "diabetes, heart failure", "migraine for years"]


def table(n=700, seed=0):
    """Notes whose outcome also depends on age, level and history."""
    notes, dispositions, complaints = ward(n, seed)
    random = np.random.default_rng(seed)
    sick = np.array([one == "admitted" for one in dispositions])
    age = np.where(random.random(n) < 0.1, np.nan, np.round(np.clip(random.normal(45 + 20 * sick, 18), 0, 99)))
    level = random.choice(["2", "3", "4"], n).astype(object)
    level[random.random(n) < np.where(sick, 0.4, 0.04)] = "1"
    level[:3] = "7"  # rare
    history = random.choice(HISTORIES, n).astype(object)
    pulse = np.round(random.normal(80 + 15 * sick, 12))  # never missing
    return notes, dispositions, complaints, pd.DataFrame({"age": age, "level": level, "history": history, "pulse": pulse})


KINDS = {"level": "category", "history": "text"}


@pytest.fixture(scope="module")
def fitted():
    notes, dispositions, complaints, columns = table()
    return TriageModel(6, kinds=KINDS).fit(notes, dispositions, complaints, columns)


VALUES = {
    "age": st.one_of(st.none(), st.floats(-1e6, 1e6), st.integers(0, 120), st.just(float("nan")), st.just("81")),
    "level": st.one_of(st.none(), st.sampled_from(["1", "2", 3, 4.0, "7", "unheard of"])),
    "history": st.one_of(st.none(), st.sampled_from([*HISTORIES, "zebra", ""])),
    "pulse": st.one_of(st.none(), st.floats(0, 300)),
}


@given(
    st.fixed_dictionaries({}, optional=VALUES),
    st.sampled_from(["81YOF syncope cough, HR 120", "zebra", "", "syncope", "6 wk old boy T 39.5 cough"]),
    st.sampled_from(["Cough", "Rare", None]),
)
def test_intercept_topics_and_columns_are_the_log_odds_of_every_kind_of_patient(fitted, values, note, complaint):
    why = fitted.explain(note, complaint, values)
    parts = [part.contribution for part in (*why.topics, *why.axes, *why.columns)]
    assert abs(why.intercept + sum(parts) - why.log_odds) <= 1e-10 * max(1, *map(abs, parts), 1)
    columns = {name: [value] for name, value in values.items()}
    assert fitted.log_odds([note], [complaint], columns)[0] == pytest.approx(why.log_odds, abs=1e-9, rel=1e-9)
    one = fitted.model_for(complaint)
    assert {part.name for part in why.columns} == {column.name for column in one.columns}
    in_note = sum(piece.contribution for piece in why.pieces)
    elsewhere = sum(part.contribution for part in why.columns if not part.measured)
    assert why.intercept + in_note + elsewhere == pytest.approx(why.log_odds, abs=1e-9, rel=1e-9)
    assert "".join(piece.text for piece in why.pieces) == note


def test_effects_are_centred(fitted):
    notes, _, _, columns = table()
    one = fitted.pooled_model_
    read = one.forecaster.encode(notes, column_arrays(columns, len(notes)))
    assert {"age", "level", "history", "pulse"} <= {column.name for column in one.columns}
    np.testing.assert_allclose(read.column_parts.mean(axis=0), 0, atol=0.02)  # three rare levels have no effect, and no share
    known = pd.notna(columns["age"]).to_numpy()
    for name, rows in (("age", known), ("pulse", slice(None)), ("history", slice(None))):
        place = next(place for place, column in enumerate(one.columns) if column.name == name)
        assert read.column_parts[rows, place].mean() == pytest.approx(0, abs=1e-12)


def test_columns_help_where_they_matter():
    notes, dispositions, _, columns = table(900)
    found = evaluate(notes, dispositions, columns=columns, kinds=KINDS, methods=["sonmf"], n_topics=6, processes=1)
    loss = {row["inputs"]: row["log_loss"] for row in found.summary()}
    assert loss["notes + columns"] < min(loss["notes"], loss["columns"]) - 0.02


def test_a_column_that_is_not_given_is_said(fitted):
    bare, whole = (fitted.explain("syncope", "Cough", values) for values in ({}, {"age": 80, "level": "1"}))
    assert "not given, so expected from the rest of the patient: age, level, history, pulse" in bare.remark
    assert "age" not in whole.remark
    assert whole.log_odds > bare.log_odds


def test_far_values_are_named_and_an_unknown_level_gets_the_known_ones(fitted):
    why = fitted.explain("syncope", None, {"pulse": 8000, "level": "unheard of"})
    column = next(one for one in fitted.pooled_model_.columns if one.name == "pulse")
    assert f"pulse is 8000, far outside the range of the fit ({column.low:g} to {column.high:g}): it counts as" in why.remark
    assert "check its unit" in why.remark
    assert "level has a level that the fit did not see, and counts as missing: it knows 1, 2, 3, 4" in why.remark
    assert "unheard" not in why.remark


@given(st.sampled_from(["age", "pulse", "level"]), st.one_of(st.floats(-1e30, 1e30), st.sampled_from(["1", "2", "7", "zebra"])))
def test_no_value_adds_more_than_the_most_of_the_patients_of_the_fit(fitted, name, value):
    notes, _, _, columns = table()
    one = fitted.pooled_model_
    place = next(place for place, column in enumerate(one.columns) if column.name == name)
    parts = one.forecaster.encode(notes, column_arrays(columns, len(notes))).column_parts[:, place]
    column = one.columns[place]
    (values,) = np.array([[value if isinstance(value, str) == (column.kind == "category") else None]], object)
    read = convert_values(name, column.kind, values)
    if not column.missing_in(read)[0]:
        (part,) = column.features(read) @ column.effects
        assert parts.min() - 1e-12 <= part <= parts.max() + 1e-12


def test_rows_match_by_position_and_not_by_index(fitted):
    notes, _, complaints, columns = table()
    shuffled = columns.set_index(np.random.default_rng(0).permutation(len(columns)))
    as_lists = {name: list(values) for name, values in columns.items()}
    expected = fitted.log_odds(notes, complaints, columns)
    np.testing.assert_array_equal(fitted.log_odds(notes, complaints, shuffled), expected)
    np.testing.assert_array_equal(fitted.log_odds(notes, complaints, as_lists), expected)


def test_a_value_that_is_given_wins_over_the_one_in_the_note():
    notes, dispositions, _, columns = table()
    ages = columns["age"].fillna(50)
    stated = [f"{age:.0f}YOF {note}" for age, note in zip(ages, notes, strict=True)]
    read = TriageModel(6).fit(stated, dispositions)
    (age,) = (column for column in read.pooled_model_.columns if column.name == "age")
    assert age.measured
    young, old, both = (
        read.explain(note, None, values) for note, values in (("9YOF", {}), ("90YOF", {}), ("9YOF", {"AGE": 90}))
    )
    assert young.log_odds < old.log_odds
    assert both.log_odds == pytest.approx(old.log_odds)
    assert [part.measured for part in both.columns if part.name == "age"] == [False]
    given = TriageModel(6).fit(stated, dispositions, columns={"Age": ages})
    assert [(one.name, one.measured) for one in given.pooled_model_.columns if one.name.lower() == "age"] == [("Age", False)]
    off = TriageModel(6, measurements=False).fit(stated, dispositions)
    assert off.pooled_model_.columns == ()


def test_rare_levels_are_pooled_and_not_named(fitted, tmp_path):
    (level,) = (one for one in fitted.pooled_model_.columns if one.name == "level")
    assert "7" not in level.levels
    assert set(level.levels) >= {"1", "2", "3", "4"}
    fitted.save(tmp_path / "m.sonmf")
    assert TriageModel.load(tmp_path / "m.sonmf").pooled_model_.columns[1].levels == level.levels
    many = Category.fit("ward", np.array(["a"] * 50 + ["b"] * 50 + [f"w{i}" for i in range(8)], object), 5)
    assert set(many.levels) == {"a", "b", OTHER}
    np.testing.assert_array_equal(many.features(["w1"]), many.features(["never seen"]))


def test_a_model_with_every_kind_of_column_comes_back_as_it_was(fitted, tmp_path):
    notes, _, complaints, columns = table(300, seed=5)
    fitted.save(tmp_path / "m.sonmf")
    again = TriageModel.load(tmp_path / "m.sonmf")
    np.testing.assert_array_equal(again.log_odds(notes, complaints, columns), fitted.log_odds(notes, complaints, columns))
    assert again.kinds == KINDS
    assert again.pooled_model_.record.columns == fitted.pooled_model_.record.columns
    assert again.columns_ == ["age", "level", "history", "pulse"]


@pytest.mark.parametrize(
    "change",
    [
        lambda words: words["settings"].update(ngram_range=[1]),
        lambda words: words["settings"].update(min_df=-1.0),
        lambda words: words["vocabulary"].__setitem__(1, words["vocabulary"][0]),
        lambda words: words["spelling"].pop(),
    ],
)
def test_the_words_of_a_text_are_checked_like_those_of_the_notes(fitted, tmp_path, change):
    def changed(header):
        for one in header["complaints"]:
            for column in one["forecaster"]["columns"]:
                if column["kind"] == "text":
                    change(column["vectorizer"])
        return header

    fitted.save(tmp_path / "m.sonmf")
    (tmp_path / "m.sonmf").write_bytes(torture.changed((tmp_path / "m.sonmf").read_bytes(), changed))
    with pytest.raises(ValueError, match=r"is damaged .*at `\$.complaints\[0\].forecaster.columns\["):
        TriageModel.load(tmp_path / "m.sonmf")


def test_what_no_note_can_state_is_no_measurement(fitted, tmp_path):
    def changed(header):
        one = header["complaints"][0]
        one["forecaster"]["columns"][0]["measured"] = True
        one["forecaster"]["columns"][0]["name"] = one["record"]["columns"][0]["name"] = "shoe size"
        return header

    fitted.save(tmp_path / "m.sonmf")
    (tmp_path / "m.sonmf").write_bytes(torture.changed((tmp_path / "m.sonmf").read_bytes(), changed))
    with pytest.raises(ValueError, match="a column is not what a note can state"):
        TriageModel.load(tmp_path / "m.sonmf")


def test_an_evaluation_judges_the_object_that_is_shipped():
    notes, dispositions, _, columns = table(500)
    y = np.array([one == "admitted" for one in dispositions], float)
    patients = Patients.given(notes, dispositions, columns=columns)
    kinds = kinds_of(patients.columns, KINDS)
    asked = EvaluationSettings(methods=["sonmf"], n_topics=[6], columns=kinds)
    study = Study(patients, {"": np.arange(500)}, read_measurements(notes), asked)
    judged = read_cell(run_cell(Cell("", "sonmf", 6, 0, 0, BOTH), study))
    from sklearn.model_selection import StratifiedKFold

    train, test = next(StratifiedKFold(5, shuffle=True, random_state=0).split(y, y))
    shipped = TriageModel(6, kinds=KINDS, positive="admitted")
    shipped.fit([notes[i] for i in train], [dispositions[i] for i in train], columns=columns.iloc[train])
    odds = shipped.log_odds([notes[i] for i in test], columns=columns.iloc[test])
    assert judged.places.tolist() == test.tolist()
    np.testing.assert_allclose(judged.log_odds, odds, atol=1e-12)


@given(st.integers(0, 10**6))
def test_a_number_bends_where_a_spline_of_first_degree_does(seed):
    random = np.random.default_rng(seed)
    x = random.gamma(2, 10, 200)
    x[:20] = np.nan
    column = Number.fit("x", x, 5)
    known = np.isfinite(x)
    ends = np.sort(x[known])[[4, -5]]  # beyond the five lowest and the five highest values nothing changes
    knots = np.r_[ends[0], column.knots, ends[1]][:, None]
    spline = SplineTransformer(degree=1, knots=knots).fit_transform(np.clip(x[known, None], *ends))
    target = np.sin(x[known] / 9)
    ours = LinearRegression().fit(column.features(x)[known], target).predict(column.features(x)[known])
    theirs = LinearRegression().fit(spline, target).predict(spline)
    np.testing.assert_allclose(ours, theirs, atol=1e-8)


def test_features_of_a_number_are_uncorrelated_before_the_classifier_sees_them():
    x = np.random.default_rng(0).gamma(2, 10, 500)
    x[::7] = np.nan
    features = Number.fit("x", x, 5).features(x)
    mixed = features @ _uncorrelating(features)
    np.testing.assert_allclose(mixed.T @ mixed / len(mixed), np.eye(mixed.shape[1]), atol=1e-9)
    twice = np.column_stack([features[:, 0], 3 * features[:, 0]])
    assert (twice @ _uncorrelating(twice))[:, 1].any() == False  # noqa: E712  nothing new in it


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, 2.5, None], "number"),
        (["1", "2", " "], "number"),
        (["1", "2", "3", "n/a"], "number"),
        ([True, False], "category"),
        (["red", "green", "red"], "category"),
        (["heart failure since 2001", "had a stroke last year", "no history at all"], "text"),
    ],
)
def test_kinds_are_guessed_from_the_values(values, kind):
    assert guess_kind(np.array(values, object)) == kind


def test_whole_numbers_are_the_same_level_with_and_without_a_point():
    assert list(convert_values("esi", "category", np.array([3, 3.0, "3", None, np.nan], object))) == ["3", "3", "3", None, None]


def bad(**columns):
    notes, dispositions, _ = ward(300)
    return TriageModel(4).fit(notes, dispositions, columns=columns)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["80"] * 299 + ["fast"], "column 'hr' has a text of 4 letters, which is not a number: .*hr:category"),
        (["80"] * 299 + ["Miller, fell at home"], "column 'hr' has a text of 20 letters, which is not a number"),
        ([80] * 300, "column 'hr' has the same value for every patient.*leave it out"),
        ([None] * 300, "column 'hr' has no value at all.*leave it out"),
        ([80, 90], "column 'hr' has 2 values for 300 notes"),
        ("80", "column 'hr' is one value: give a list"),
    ],
)
def test_columns_that_cannot_be_read_are_refused_in_a_sentence(values, message):
    with pytest.raises(ValueError, match=message):
        bad(hr=values)


def test_other_things_than_columns_are_refused(fitted):
    notes, dispositions, _ = ward(300)
    with pytest.raises(ValueError, match="columns is list: give a DataFrame"):
        TriageModel(4).fit(notes, dispositions, columns=[1] * 300)
    with pytest.raises(ValueError, match="kinds names 'esi', which is not a column: there are none"):
        TriageModel(4, kinds={"esi": "category"}).fit(notes, dispositions)
    with pytest.raises(ValueError, match="column 'hr' cannot be 'colour': choose one of number, category, text"):
        TriageModel(4, kinds={"hr": "colour"}).fit(notes, dispositions, columns={"hr": range(300)})
    with pytest.raises(ValueError, match="column 'age' has a text of 3 letters in row 2"):
        fitted.predict_proba(["cough", "fall"], columns={"age": [3, "old"]})


def test_a_column_that_is_the_outcome_is_warned_of():
    notes, dispositions, _ = ward(300)
    for leak in (
        ["bed 3" if one == "admitted" else "home" for one in dispositions],
        [one == "admitted" for one in dispositions],
    ):
        with pytest.warns(UserWarning, match="column 'where' alone tells admitted patients from the others"):
            model = TriageModel(4).fit(notes, dispositions, columns={"where": leak})
        assert "leave it out unless it is known at triage" in model.remarks_[0]


def test_a_text_tells_as_much_alone_as_beside_notes():
    _, dispositions, _ = ward(600)
    random = np.random.default_rng(0)
    sick = np.array([one == "admitted" for one in dispositions])
    words = {True: ["failing heart", "old stroke", "kidney transplant"], False: ["hay fever", "knee replaced", "glasses worn"]}
    history = [f"{random.choice(words[bool(one)])}, {random.choice(words[bool(one)])}" for one in sick]
    given = {"history": [random.choice(["nothing known", text], p=[0.3, 0.7]) for text in history]}
    found = evaluate(
        ["pain"] * 300 + ["pain here"] * 300, dispositions, columns=given, methods=["sonmf"], n_topics=6, folds=3,
        kinds={"history": "text"}, vectorizer=NotesVectorizer(min_df=1), processes=1,
    )  # fmt: skip
    area = {row["inputs"]: row["auroc"] for row in found.summary()}
    assert area["columns"] > 0.8
    assert area["columns"] == pytest.approx(area["notes + columns"], abs=0.03)


def test_a_column_that_no_model_can_use_is_said():
    notes, dispositions, _ = ward(300)
    given = {"seen": [f"day {k}" for k in range(300)], "few": [1.0, 2.0, 3.0] + [None] * 297}
    with pytest.warns(UserWarning, match="no model uses column") as said:
        model = TriageModel(4, measurements=False).fit(notes, dispositions, columns=given)
    assert model.columns_ == []
    assert [str(one.message).split("'")[1] for one in said] == ["seen", "few"]


def test_the_commonest_levels_are_kept_and_the_others_are_one():
    values = np.repeat([f"{k:04d}" for k in range(300)], np.arange(300) // 10 + 6).astype(object)
    values[:7] = None
    found = Category.fit("postcode", values, 5, measured=True)
    assert found.levels == (MISSING, *(f"{k:04d}" for k in range(200, 300)), OTHER)
    assert found.shares.sum() == pytest.approx(1)
    np.testing.assert_allclose(found.features(values).sum(axis=0), 0, atol=1e-8)


def test_nothing_is_a_level_in_notes_and_beside_a_single_other_one():
    sexes, blanks = np.array(["F", "M", None] * 20, object), np.array(["yes", None] * 20, object)
    assert set(Category.fit("sex", sexes, 5, measured=True).levels) == {"F", "M", MISSING}
    assert set(Category.fit("sex", sexes, 5).levels) == {"F", "M"}
    assert set(Category.fit("ambulance", blanks, 5).levels) == {"yes", MISSING}


def test_columns_can_be_signals(fitted):
    notes, dispositions, _, columns = table()
    one = fitted.pooled_model_
    found = fitted.merit(notes, dispositions, columns=columns)
    assert sum(found.patients) == len(notes)
    of_the_fit = one.record.merit.patients  # where the scores on outcome axes are by axes made without the patient's fold
    assert np.abs(np.subtract(found.patients, of_the_fit)).sum() <= 0.05 * len(notes)
    assert any(signal >= one.n_topics + len(one.axes) for signal in found.topics)
    assert found.rates()[2] > found.rates()[0]
