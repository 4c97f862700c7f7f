"""``sonmf monitor`` as a person and as cron see it: exit codes, the page, the history, and no word of a note in any of them."""

import errno
import json
import re

import numpy as np
import pandas as pd
import pytest
from command_line import run_sonmf
from wards import ward

from sonmf.triage import TriageModel

CANARY = "xylophonist"


def patients(n, seed, months, year=2024, shift=0.0):
    """Notes with a rare word each; from the middle of the months on, some are admitted who would not have been."""
    notes, dispositions, complaints = ward(n, seed)
    random = np.random.default_rng(seed)
    frame = pd.DataFrame({"note": [f"{note} {CANARY}" if k % 97 == 0 else note for k, note in enumerate(notes)]})
    month = np.arange(n) * months // n
    frame["disposition"] = dispositions
    more = (month >= months / 2) & (frame["disposition"] == "discharged") & (random.random(n) < shift)
    frame.loc[more, "disposition"] = "admitted"
    frame["complaint"], frame["age"] = complaints, random.integers(18, 95, n)
    frame["arrival"] = [f"{random.integers(1, 29):02d}.{k + 1:02d}.{year} 14:05" for k in month]
    return frame


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ward")
    patients(900, 0, 12, 2023).to_csv(folder / "fit.csv", index=False)
    patients(800, 1, 4).to_csv(folder / "quiet.csv", index=False)
    patients(800, 2, 4, shift=0.3).to_csv(folder / "shifted.csv", index=False)
    command = ["fit", "fit.csv", "--topics", "4", "--column", "age", "--time", "arrival", "--min-df", "20", "-o", "m.sonmf"]
    command += ["--own-models", "always"]
    run_sonmf(*command, folder=folder)
    return folder


@pytest.fixture
def watch(sonmf, place, monkeypatch, tmp_path):
    monkeypatch.chdir(place)

    def run(new, *more, out=tmp_path / "out", model="m.sonmf"):
        return *sonmf("monitor", model, new, "--out", out, *more), out

    return run


def lines(out):
    return [json.loads(line) for line in (out / "history.jsonl").read_text().splitlines()]


def test_all_is_well_with_patients_like_those_of_the_fit(watch):
    code, said, err, out = watch("quiet.csv")
    assert (code, "All well: " in said) == (0, True), said + err
    assert "every figure is within its limits." in said
    found = lines(out)
    assert {(one["period"], one["complaint"]) for one in found} == {
        (f"2024-{month:02d}", name) for month in range(1, 5) for name in ("", "Cough", "Fall")
    }
    everyone = [one for one in found if not one["complaint"]]
    assert sum(one["patients"] for one in everyone) == 800
    page = (out / "monitor.html").read_text()
    assert "All well: " in page
    assert '<h2 id="s2-title">Cough</h2>' in page


def test_a_page_that_cannot_be_written_leaves_no_line_in_the_history(watch, monkeypatch):
    def full(page, path):
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    with monkeypatch.context() as disk:
        disk.setattr("sonmf.web.standalone.write_html", full)
        code, _, err, out = watch("quiet.csv")
        assert (code, "monitor.html: No space left on device" in err) == (1, True)
        assert not (out / "history.jsonl").exists()
    assert watch("quiet.csv")[0] == 0
    assert len(lines(out)) == 12


def test_forecasts_that_run_low_are_an_alarm_with_a_remedy(watch):
    code, said, _, out = watch("shifted.csv")
    assert code == 3
    assert "points low since March 2024: " in said
    assert all("the model: sonmf update m.sonmf shifted.csv" in place for place in (said, (out / "monitor.html").read_text()))
    expected = sum(one["expected"] for one in lines(out) if not one["complaint"])
    assert re.search(rf"^all +800 +800 +{expected:.1f} +392 +\+[0-9.]+ \*", said, re.MULTILINE)


def test_the_patients_of_the_fit_are_refused(watch):
    code, _, err, out = watch("fit.csv")
    assert (code, "the model was fitted on the patients of fit.csv, whom it forecasts better than others" in err) == (2, True)
    assert not (out / "history.jsonl").exists()


def test_rows_that_are_there_twice_count_once_where_that_can_be_told(watch, place, tmp_path):
    frame = pd.read_csv(place / "quiet.csv", dtype=str)
    pd.concat([frame, frame[:300]]).to_csv(tmp_path / "days.csv", index=False)
    _, _, err, out = watch(tmp_path / "days.csv", out=tmp_path / "days")
    assert "300 rows are the same as another row: without a time of day or an identifier they count separately" in err
    assert sum(one["patients"] for one in lines(out) if not one["complaint"]) == 1100
    frame["arrival"] = [f"{text[:10]} {k % 24:02d}:{k % 60:02d}" for k, text in enumerate(frame["arrival"])]
    pd.concat([frame, frame[:300]]).to_csv(tmp_path / "times.csv", index=False)
    _, _, err, out = watch(tmp_path / "times.csv", out=tmp_path / "times")
    assert "300 rows are the same as another row: they count once" in err
    assert sum(one["patients"] for one in lines(out) if not one["complaint"]) == 800
    frame.assign(id=np.arange(len(frame)) // 2).to_csv(tmp_path / "visits.csv", index=False)
    _, _, err, out = watch(tmp_path / "visits.csv", out=tmp_path / "visits")
    assert "400 rows are further visits of a patient (column id)" in err
    assert sum(one["patients"] for one in lines(out) if not one["complaint"]) == 800


def test_a_last_month_that_is_known_in_part_is_not_judged_until_it_is(watch, place, tmp_path):
    frame = pd.read_csv(place / "quiet.csv", dtype=str)
    late = (frame["arrival"].str[3:5] == "04") & (frame["disposition"] == "admitted") & (frame.index % 2 == 0)
    frame.assign(disposition=frame["disposition"].mask(late)).to_csv(tmp_path / "new.csv", index=False)
    code, said, err, out = watch(tmp_path / "new.csv")
    assert (code, "No alarm: " in said, "not judged: outcomes of April 2024" in said) == (0, True, True)
    assert "April 2024 is known in part, and discharges are known first: its outcomes are judged once 90% of them are" in err
    assert [one["judged"] for one in lines(out) if one["period"] == "2024-04"] == [0, 0, 0]
    code, said, _, _ = watch("quiet.csv")
    assert (code, "All well: " in said) == (0, True)
    everyone, *complaints = [one["judged"] for one in lines(out) if one["period"] == "2024-04"][3:]
    assert everyone == sum(complaints) == 200


def test_the_next_month_continues_the_history_and_the_same_one_does_not(watch, place, tmp_path):
    whole = pd.read_csv(place / "quiet.csv", dtype=str)
    month = whole["arrival"].str[3:5]
    whole[month <= "03"].to_csv(tmp_path / "first.csv", index=False)
    whole[month == "04"].to_csv(tmp_path / "fourth.csv", index=False)
    whole[month == "04"][:60].to_csv(tmp_path / "begun.csv", index=False)
    watch(tmp_path / "first.csv")
    watch(tmp_path / "begun.csv")
    *_, out = watch(tmp_path / "fourth.csv")
    before = (out / "history.jsonl").read_bytes()
    _, said, err, _ = watch(tmp_path / "begun.csv")
    assert "April 2024: the history has more patients or outcomes of it already, and stays as it is" in err
    assert (out / "history.jsonl").read_bytes() == before
    assert "800 patients admitted from January 2024 to April 2024" in said
    watch(tmp_path / "fourth.csv")
    assert (out / "history.jsonl").read_bytes() == before
    apart = watch("quiet.csv", out=tmp_path / "at once")[-1]
    latest = {(one["period"], one["complaint"]): one for one in lines(out)}
    assert all(latest[one["period"], one["complaint"]] | {"written": ""} == one | {"written": ""} for one in lines(apart))


def test_nothing_of_a_note_leaves_the_file(watch, place):
    for new in ("quiet.csv", "shifted.csv"):
        _, said, err, out = watch(new)
        written = said + err + "".join(file.read_text() for file in out.iterdir())
        notes = pd.read_csv(place / new)["note"]
        assert CANARY not in written
        assert not any(note in written for note in notes)


def test_patients_without_an_outcome_count_for_drift_alone(watch, place, tmp_path):
    frame = pd.read_csv(place / "quiet.csv", dtype=str)
    frame.loc[frame["arrival"].str[3:5] == "04", ["disposition", "note"]] = [None, "zonk grulp cough fnord blah pling wumpus"]
    frame.to_csv(tmp_path / "new.csv", index=False)
    code, said, err, out = watch(tmp_path / "new.csv")
    assert "200 rows have no outcome yet: they count for drift alone" in err
    assert code == 3
    assert "of the words" in said
    last = [one for one in lines(out) if one["period"] == "2024-04" and not one["complaint"]]
    assert [(one["patients"], one["judged"], one["figures"]) for one in last] == [(200, 0, [])]
    frame.drop(columns="disposition").to_csv(tmp_path / "bare.csv", index=False)
    code, said, err, _ = watch(tmp_path / "bare.csv", out=tmp_path / "bare")
    assert "has no column of outcomes: only drift is judged (--label names one)" in err
    assert code == 3


def test_weeks(watch):
    code, _, _, out = watch("quiet.csv", "--every", "week")
    assert code == 0
    assert {one["period"] for one in lines(out)} <= {f"2024-W{week:02d}" for week in range(1, 18)}


def test_other_patients_can_be_the_reference(watch, place, tmp_path):
    pd.read_csv(place / "fit.csv").drop(columns=["arrival", "disposition"]).to_csv(tmp_path / "fit.csv", index=False)
    code, _, _, out = watch("quiet.csv", "--reference", tmp_path / "fit.csv", out=tmp_path / "with")
    assert code == 0
    kinds = {drift["kind"] for one in lines(out) for drift in one["drift"]}
    assert kinds == {"words", "topic", "column", "forecast", "complaint"}


@pytest.mark.parametrize(
    ("changed", "more", "said"),
    [
        ({"arrival": "when"}, (), "has no column 'arrival'"),
        ({}, ("--time", "arival"), "has no column 'arival' (did you mean 'arrival'?)"),
        ({}, ("--every", "day"), "--every day: choose month or week"),
        ({}, ("--label", "fate"), "has no column 'fate'"),
        ({"note": "text"}, (), "has no column 'note'"),
    ],
)
def test_wrong_use_is_refused_in_a_sentence(watch, place, tmp_path, changed, more, said):
    pd.read_csv(place / "quiet.csv").rename(columns=changed).to_csv(tmp_path / "new.csv", index=False)
    code, _, err, out = watch(tmp_path / "new.csv", *more)
    assert (code, said in err) == (2, True), err
    assert not out.exists()


def test_other_codes_of_the_outcome_are_refused(watch, place, tmp_path):
    frame = pd.read_csv(place / "quiet.csv")
    frame["disposition"] = frame["disposition"].map({"admitted": "ADM", "discharged": "HOME"})
    frame.to_csv(tmp_path / "new.csv", index=False)
    code, _, err, _ = watch(tmp_path / "new.csv")
    assert code == 2
    assert "has the values 'ADM', 'HOME', and none that means admitted (admitted)" in err
    frame.loc[:50, "disposition"] = "admitted"
    frame.to_csv(tmp_path / "new.csv", index=False)
    _, _, err, _ = watch(tmp_path / "new.csv")
    assert "outcomes not seen in the fit, so counted as not admitted: " in err
    assert "HOME" in err


def test_a_model_that_does_not_know_the_time_asks_for_it(watch, place, tmp_path):
    model = TriageModel.load(place / "m.sonmf")
    model.provenance_ = None
    model.save(tmp_path / "python.sonmf")
    code, _, err, _ = watch("quiet.csv", model=tmp_path / "python.sonmf")
    assert (code, "the model does not know the column of the arrival: name it with --time" in err) == (2, True)
    code, _, _, out = watch("quiet.csv", "--time", "arrival", model=tmp_path / "python.sonmf")
    assert code == 0
    assert sum(one["judged"] for one in lines(out) if not one["complaint"]) == 800


def test_a_file_without_an_admission_is_a_quiet_month(watch, place, tmp_path):
    frame = pd.read_csv(place / "quiet.csv")
    frame[frame["disposition"] == "discharged"][:40].to_csv(tmp_path / "none.csv", index=False)
    code, _, err, out = watch(tmp_path / "none.csv")
    assert code in (0, 3), err
    assert [(one["judged"], one["admitted"]) for one in lines(out) if not one["complaint"]] == [(40, 0)]


def test_a_few_outcomes_are_not_written_down(watch, place, tmp_path):
    frame = pd.read_csv(place / "quiet.csv", dtype=str)[:100]
    frame["disposition"] = ["admitted", *[None] * 99]
    frame.to_csv(tmp_path / "first.csv", index=False)
    _, _, err, out = watch(tmp_path / "first.csv")
    found = [(one["judged"], one["admitted"], one["expected"]) for one in lines(out)]
    assert found == [(0, 0, 0.0)] * len(found), err


def test_a_handful_of_patients_is_not_written_down(watch, place, tmp_path):
    pd.read_csv(place / "quiet.csv")[:15].to_csv(tmp_path / "few.csv", index=False)
    code, _, err, out = watch(tmp_path / "few.csv")
    assert (code, "no month has 20 patients, so there is nothing to judge" in err) == (2, True)
    assert not (out / "history.jsonl").exists()


def test_help_has_examples_and_exit_codes(sonmf):
    _, said, _ = sonmf("monitor", "--help")
    assert "Exit code 0: no alarm. 3: an alarm" in said
    assert "--every week" in said
