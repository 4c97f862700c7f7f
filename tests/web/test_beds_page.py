"""The page of beds by the hour in a browser."""

import json
from pathlib import Path

from screens import department_file

from sonmf.beds import BedOptions, look_ahead
from sonmf.beds.local_hours import in_words
from sonmf.cli.beds import read_patients
from sonmf.sources import open_table
from sonmf.triage import TriageModel
from sonmf.triage.patient_stream import PatientStream


def test_beds_are_foreseen_as_on_the_command_line_and_kept_as_json(page, model_file, tmp_path):
    department_file(tmp_path / "ed.csv")
    page.goto("/beds")
    page.set_input_files("#file", tmp_path / "ed.csv")
    page.wait_for_selector("#drawn svg")
    offered = page.eval_on_selector_all("#until option", "all => all.map(one => one.value)")
    assert offered == ["", "note", "complaint", "disposition", "arrival", "gone", "ward"]
    assert page.input_value("#time") == "arrival"
    page.fill("#window", "4h")
    page.press("#window", "Tab")
    page.wait_for_selector("#hours-title:has-text('The next 4h')")
    page.select_option("#until", "gone")
    page.wait_for_selector("#result", state="hidden")
    page.wait_for_selector("#drawn svg")
    with page.expect_download() as kept:
        page.click("#download")
    told = json.loads(Path(kept.value.path()).read_text())
    asked = BedOptions(until="gone", window="4h")
    model = TriageModel.load(model_file)
    stream = PatientStream(model, open_table(tmp_path / "ed.csv"), keep=asked.columns)
    found, _ = read_patients(stream, asked)
    assert told == look_ahead(found, found, asked, remarks=told["remarks"]).as_json()
    shown = page.eval_on_selector_all(
        "#beds-lines tbody tr", "rows => rows.map(row => [...row.cells].map(one => one.innerText))"
    )
    assert [row[:3] for row in shown] == [
        [in_words(line["until"]), f"{line['expected']:.1f}", f"{line['low']} to {line['high']}"]
        for line in told["everyone"]["lines"]
    ]


def test_a_departure_is_taken_at_once_and_may_be_refused_and_only_statisticians_meet_their_figures(page, tmp_path):
    department_file(tmp_path / "ed.csv", gone="departure")
    page.goto("/beds")
    page.set_input_files("#file", tmp_path / "ed.csv")
    page.wait_for_selector("#drawn svg")
    assert page.input_value("#until") == "departure"
    seen = page.inner_text("#drawn")
    assert "mean error" in seen
    assert not {"CRPS", "PIT"} & set(seen.replace("\n", " ").split())
    page.click("#statistics summary")
    assert "CRPS" in page.inner_text("#drawn")
    page.select_option("#until", "")
    page.wait_for_selector("#result", state="hidden")
    page.wait_for_selector("#drawn svg")
    assert page.input_value("#until") == ""


def test_beds_of_a_file_whose_column_is_not_known_are_foreseen_once_it_is_chosen(browser, address, tmp_path):
    department_file(tmp_path / "ed.csv", arrival="came")
    with browser.new_context(base_url=address) as context:
        tab = context.new_page()
        tab.goto("/beds")
        tab.set_input_files("#file", tmp_path / "ed.csv")
        tab.wait_for_selector("#message:has-text('has no column')")
        tab.select_option("#time", "came")
        tab.wait_for_selector("#drawn svg", timeout=120_000)
        tab.fill("#window", "-8h")
        tab.press("#window", "Tab")
        tab.wait_for_selector("#message:has-text('Window -8h: it would end before it starts')")
