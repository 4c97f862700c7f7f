"""The page of a list of patients in a browser."""

import csv

import pandas as pd
import pytest
from screens import amount, type_note
from wards import ward

from sonmf.triage import TriageModel
from sonmf.triage.labels import in_short
from sonmf.triage.provenance import Provenance
from sonmf.web.served_model import ServedModel

ATTACK = (
    """syncope <script>window.attacked = 1</script> <img src=x onerror="window.attacked = 1"> </textarea><b>bold</b> ankle"""
)
DROP = """() => {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File(["note\\nsyncope\\n"], "drop.csv"));
  const event = new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true });
  document.getElementById("drop").dispatchEvent(event);
}"""


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    notes, _, complaints = ward(12_000, seed=2)
    path = tmp_path_factory.mktemp("list") / "patients.csv"
    frame = pd.DataFrame({"id": range(12_000), "note": notes, "complaint": complaints})
    frame.to_csv(path, index=False)
    return path


def test_a_list_takes_columns_from_the_file(page, model_file, tmp_path):
    model = TriageModel.load(model_file)
    (tmp_path / "in.csv").write_text("note,complaint,hr,level\n81yo syncope,Cough,140,2\n")
    why = model.explain("81yo syncope", "Cough", {"hr": 140, "level": "2"})
    page.goto("/list")
    page.set_input_files("#file", tmp_path / "in.csv")
    page.wait_for_selector("#rows tr", state="visible")
    assert page.inner_text("#remarks").startswith("Not given, so expected from the rest of the patient: coin, history.")
    strongest = [f"{part.name} {in_short(part.value)} {amount(part.contribution)}" for part in why.columns if part.contribution]
    assert page.inner_text("#rows tr:first-child td:nth-child(6)") == "; ".join(strongest[:3])
    page.click("#rows button")
    page.wait_for_selector("#patient-body .note-text")
    assert page.inner_text("#patient-body .forecast") == f"{why.probability:.1%}" == page.inner_text("#rows td.number")
    assert page.inner_text("#patient-body .legend").split()[:2] == ["raises", "the"]


def test_a_long_note_is_cut_after_a_word(page, tmp_path):
    (tmp_path / "in.csv").write_text(f"note\n{'syncope ' * 30}\n{'syncope ' * 20}\n")
    page.goto("/list")
    page.set_input_files("#file", tmp_path / "in.csv")
    page.wait_for_selector("#rows td.cut", state="visible")
    shown = sorted(text.strip() for text in page.locator("#rows td.cut").all_text_contents())
    assert shown == [" ".join(["syncope"] * 20), " ".join(["syncope"] * 20) + "\N{HORIZONTAL ELLIPSIS}"]


def test_a_malicious_note_is_text_everywhere(page, tmp_path):
    type_note(page, ATTACK)
    assert page.inner_text("#pieces") == ATTACK
    assert page.locator("#pieces b, #pieces img, #pieces script").count() == 0
    table = pd.DataFrame({"id": [f"<b>{ATTACK}"], "note": [ATTACK], "complaint": [ATTACK]})
    table.to_csv(tmp_path / "attack.csv", index=False)
    page.goto("/list")
    page.set_input_files("#file", tmp_path / "attack.csv")
    page.click("#rows button")
    page.wait_for_selector("#patient-body .note-text")
    assert ATTACK in page.inner_text("#patient-title")
    assert page.inner_text("#patient-body .note-text") == ATTACK
    assert page.locator("main img, main b, dialog img, dialog b").count() == 0


def test_a_long_list_is_scored_sorted_filtered_and_downloaded(page, large, model_file, tmp_path):
    page.goto("/list")
    page.set_input_files("#file", large)
    page.wait_for_selector("#progress-text:has-text('patients scored')")
    page.wait_for_selector("#rows tr", state="visible")
    chances = pd.Series(page_probabilities(model_file, large))
    assert "12,000" in page.inner_text("#beds")
    assert f"{chances.sum():,.1f}" in page.inner_text("#beds")
    assert page.inner_text("#rows tr:first-child td:nth-child(2)") == f"{chances.max():.1%}"
    page.click("[data-field='probability'] button")
    assert page.inner_text("#rows tr:first-child td:nth-child(2)") == f"{chances.min():.1%}"
    page.click("[data-field='id'] button")
    assert page.inner_text("#where") == "1\N{EN DASH}25 of 12,000"
    assert page.locator("#rows tr").count() == 25  # however long the list
    page.click("#next")
    assert page.inner_text("#where") == "26\N{EN DASH}50 of 12,000"
    page.fill("#filter", "syncope sepsis")
    both = [("syncope" in note and "sepsis" in note) for note in pd.read_csv(large)["note"]]
    page.wait_for_selector(f"#beds:has-text('{sum(both):,} of 12,000')")
    assert f"{chances[both].sum():,.1f}" in page.inner_text("#beds")
    with page.expect_download() as download:
        page.click("#download")
    download.value.save_as(tmp_path / "out.csv")
    assert download.value.suggested_filename == "patients-forecast.csv"
    assert len(pd.read_csv(tmp_path / "out.csv")) == sum(both)


def page_probabilities(model_file, path):
    frame = pd.read_csv(path, dtype=str)
    return TriageModel.load(model_file).predict_proba(frame["note"], frame["complaint"])[:, 1]


def test_a_download_holds_no_formula(page, tmp_path):
    strange = ["=1+1", "+1", "-1.5e3", "-1-1", "+1 555", "@x", "\tx", 'a "b", c', "plain"]
    with (tmp_path / "in.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["id", "note"], *([name, "syncope"] for name in strange)])
    page.goto("/list")
    page.set_input_files("#file", tmp_path / "in.csv")
    with page.expect_download() as download:
        page.click("#download")
    download.value.save_as(tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(newline="") as file:
        found = {row["id"] for row in csv.DictReader(file)}
    assert found == {"'=1+1", "+1", "-1.5e3", "'-1-1", "'+1 555", "'@x", "'\tx", 'a "b", c', "plain"}


def test_a_file_is_dropped_cancelled_or_refused(page, large, tmp_path):
    page.goto("/list")
    page.set_input_files("#file", large)
    page.click("#cancel")
    assert page.locator("#progress").is_hidden()
    page.evaluate(DROP)
    page.wait_for_selector("#rows tr", state="visible")
    assert page.inner_text("#where") == "1\N{EN DASH}1 of 1"
    assert page.locator("#message .notice").count() == 0


def test_a_refused_file_says_why_and_is_scored_once_its_column_is_named(browser, address, tmp_path):
    (tmp_path / "x.csv").write_text("text\nsyncope\n")
    with browser.new_context(base_url=address) as context:  # a refusal is an error on the console of the browser
        tab = context.new_page()
        tab.goto("/list")
        tab.set_input_files("#file", tmp_path / "x.csv")
        tab.wait_for_selector("text=x.csv has no column 'note'")
        assert "Choose the column in the list above." in tab.inner_text("#message")
        assert tab.inner_text("#message").startswith("x.csv")  # the name of a file is left as it is
        assert [one.inner_text() for one in tab.locator("#text option").all()] == ["note", "text"]
        tab.select_option("#text", "text")
        tab.wait_for_selector("#rows tr", state="visible")
        assert tab.locator("#message .notice").count() == 0


def test_patients_who_left_are_not_counted_among_the_beds(browser, live, model_file, tmp_path):
    model = TriageModel.load(model_file)
    counts = {"admitted": {}, "not_admitted": {}, "left_out": {}, "rows": 0}
    model.provenance_ = Provenance("june.csv", "note", "outcome", None, ("in",), ("home",), **counts)
    (tmp_path / "ward.csv").write_text("note,outcome\nsyncope,left\nankle,home\nfever,\n")
    with browser.new_context(base_url=live(ServedModel(model, model_file))) as context:
        tab = context.new_page()
        tab.goto("/list")
        tab.set_input_files("#file", tmp_path / "ward.csv")
        tab.wait_for_selector("#rows tr", state="visible")
        assert "2 of 3" in tab.text_content("#beds")
        assert "1 patient is not counted among the beds" in tab.inner_text("#gone")
        tab.fill("#filter", "syncope")  # the one who left is alone in the table
        tab.wait_for_selector("#beds:has-text('0 of 3')")


def test_the_slider_flags_patients_as_predict_does(page, model_file, tmp_path):
    notes, _, complaints = ward(60, seed=3)
    path = tmp_path / "sixty.csv"
    pd.DataFrame({"id": range(60), "note": notes, "complaint": complaints}).to_csv(path, index=False)
    chances = pd.Series(page_probabilities(model_file, path)).round(6)
    page.goto("/list")
    page.set_input_files("#file", path)
    page.wait_for_selector("#rows tr", state="visible")
    assert page.locator("#rows .flagged").count() == 0
    limit = round(float(chances.median()), 1)
    move = "(slider, value) => { slider.value = value; slider.dispatchEvent(new Event('input')); }"
    page.locator("#threshold").evaluate(move, round(100 * limit))
    flagged = chances >= limit
    assert 0 < flagged.sum() < 60
    assert page.inner_text("#flagged") == (
        f"{flagged.sum()} of 60 patients are flagged: {chances[flagged].sum():.1f} of them are expected to be admitted, and "
        f"{chances[~flagged].sum():.1f} of the others."
    )
    assert page.locator("#rows .flagged").count() == min(25, flagged.sum())  # the table begins with the largest
    with page.expect_download() as saved:
        page.click("#download")
    table = pd.read_csv(saved.value.path())
    assert list(table.columns)[:3] == ["id", "probability", "flagged"]
    assert set(table.loc[table["flagged"] == "yes", "id"]) == set(flagged[flagged].index)
