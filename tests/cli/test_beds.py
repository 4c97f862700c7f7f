"""``sonmf beds``: the same figures on the terminal, in the page and in the JSON, and sentences for what is wrong."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from command_line import run_sonmf
from emergency import department
from wards import ward

from sonmf.beds.local_hours import in_words
from sonmf.triage import TriageModel


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A folder with a model and three weeks of patients."""
    folder = tmp_path_factory.mktemp("beds")
    found = department(3, a_day=15)
    n = len(found.arrival)
    notes, dispositions, complaints = ward(n, seed=1)
    table = {"note": notes, "complaint": complaints, "disposition": dispositions, "ward": found.group}
    frame = pd.DataFrame(table | {"arrival": found.arrival, "gone": found.departure})
    frame.to_csv(folder / "patients.csv", index=False)
    frame.to_parquet(folder / "patients.parquet")
    model = TriageModel(n_topics=4).fit(*ward(300)[:2])
    model.save(folder / "plain.sonmf")
    return folder


@pytest.fixture(scope="module")
def model(files):
    """Fitted on the command line, so that it knows what the outcomes mean."""
    notes, dispositions, complaints = ward(300)
    pd.DataFrame({"note": notes, "disposition": dispositions, "complaint": complaints}).to_csv(files / "past.csv", index=False)
    run_sonmf("fit", files / "past.csv", "-o", files / "model.sonmf", "--topics", "4")
    return files / "model.sonmf"


def test_table_page_and_json_say_the_same(sonmf, files, model, tmp_path):
    code, out, err = sonmf("beds", model, files / "patients.csv", "--until", "gone", "--by", "ward", "--out", tmp_path / "b")
    assert (code, err) == (0, "")
    told = json.loads((tmp_path / "b" / "beds.json").read_text())
    page = (tmp_path / "b" / "beds.html").read_text()
    shown = [re.sub(r"<[^>]*>", " ", row) for row in re.findall(r"<tr><th scope=\"row\">.*?</tr>", page)]
    rows = [(in_words(line["until"]), line, f"{line['arrivals']:.1f}") for line in told["everyone"]["lines"]]
    rows += [(one["name"], one["lines"][-1], str(one["patients"])) for one in told["groups"]]
    assert len(rows) == 9 + 3
    for name, line, more in rows:
        cells = [
            f"{line['expected']:.1f}",
            f"{line['low']} to {line['high']}",
            f"{line['present']:.1f}",
            f"{line['arriving']:.1f}",
        ]
        expected = " ".join([name, *cells, more])
        assert expected in [" ".join(text.split()) for text in out.splitlines()]
        assert expected in [" ".join(text.split()) for text in shown]
    judged = told["judged"]
    assert f"mean error {judged['error']:.2f} beds, that of the same hour last week {judged['last_week_error']:.2f}" in out
    assert f"{judged['coverage']:.1%} of the windows inside the 90% interval ({judged['promised']:.1%} expected)" in out
    assert f"{judged['crps']:.2f}" in page


def test_a_history_may_be_another_file_and_another_kind(sonmf, files, model):
    frame = pd.read_parquet(files / "patients.parquet")
    frame.tail(30).to_csv(files / "present.csv", index=False)
    whole = sonmf("beds", model, files / "patients.csv", "--until", "gone")
    apart = sonmf("beds", model, files / "present.csv", "--until", "gone", "--history", files / "patients.parquet")
    assert apart == whole
    code, _, err = sonmf("beds", model, files / "present.csv", "--until", "gone")
    assert code == 2
    assert "rates by hour and weekday need two weeks: give patients of more weeks (--history), or a later moment (--now)" in err


def test_without_departures_everyone_stays_as_long_as_is_said(sonmf, files, model):
    frame = pd.read_csv(files / "patients.csv")
    last = pd.to_datetime(frame["arrival"])
    for stay, hours in (((), 6), (("--stay", "12h"), 12)):
        there = int((last > last.max() - np.timedelta64(hours, "h")).sum())
        assert f": {there} patients present" in sonmf("beds", model, files / "patients.csv", *stay)[1]


def test_patients_without_outcomes_judge_nothing_and_that_is_said(sonmf, files, model, tmp_path):
    pd.read_csv(files / "patients.csv", dtype=str).drop(columns="disposition").to_csv(tmp_path / "ed.csv", index=False)
    code, out, _ = sonmf("beds", model, tmp_path / "ed.csv", "--now", "2024-01-20T09:00")
    assert code == 0
    assert "past days are not judged: no outcome of these patients is known" in out
    assert "patients who arrive after the moment of the forecast" in out


def test_past_days_are_judged_by_a_model_from_python_as_by_one_from_a_file(sonmf, files, model):
    paths = (model, files / "plain.sonmf")
    from_file, from_python = (sonmf("beds", path, files / "patients.csv")[1].partition("the last ")[2] for path in paths)
    assert from_file
    assert from_python == from_file


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--window", "-8h"], "window -8h: it would end before it starts: give a length such as 8h"),
        (["--time", "arival"], "no column 'arival'"),
        (["--until", "gone", "--stay", "3h"], "--stay is for patients without a departure"),
        (["--until", "arrival", "--time", "gone"], "with a arrival before their gone"),
        (["--zone", "Berlin"], "zone Berlin is not known"),
        (["--by", "note"], "by note: the column has"),
        (["--now", "2024-01-09"], "days before the moment of the forecast, and rates by hour and weekday need two weeks"),
        (["--time", "note"], "is not a date: write it as in"),
        (["--out", "MODEL"], "is a file: name a folder"),
        (["--force"], "--force: only for --out, so name a folder there too"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(sonmf, files, model, options, said):
    options = [str(model) if option == "MODEL" else option for option in options]
    code, out, err = sonmf("beds", model, files / "patients.csv", *options)
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1


def test_nothing_that_exists_is_replaced_without_force(sonmf, files, model, tmp_path):
    (tmp_path / "beds.json").write_text("mine")
    code, _, err = sonmf("beds", model, files / "patients.csv", "--out", tmp_path)
    assert code == 2
    assert "exists: give --force to replace it" in err
    assert (tmp_path / "beds.json").read_text() == "mine"
    assert sonmf("beds", model, files / "patients.csv", "--out", tmp_path, "--force")[0] == 0
