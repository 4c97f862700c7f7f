"""No option is passed over in silence: one that could have no effect is refused, and nothing is written."""

import pytest
from wards import ward

from sonmf.cli import options, predict
from sonmf.cli.app import load

PREDICT, REPORT, SERVE = (load(name).params for name in ("predict", "report", "serve"))


def on_the_line(params, name):
    """An option of a verb as somebody gives it, and how a refusal spells it."""
    (option,) = (one for one in params if one.name == name)
    return [option.opts[0]] if option.is_flag else [option.opts[0], "1"], max(option.opts, key=len)


def refused(sonmf, message, *arguments):
    code, out, err = sonmf(*arguments)
    assert code == 2
    assert err.startswith(f"sonmf: {message}")
    assert err.count("\n") == 1
    assert not out


def test_every_option_of_predict_is_for_a_file_for_a_note_or_for_both():
    found = {one.name for one in PREDICT if one.param_type_name == "option"} - {"help"}
    assert found == {*predict.OF_A_FILE, *predict.OF_A_NOTE, "note", "expect_sha256"}


@pytest.mark.parametrize("name", predict.OF_A_FILE)
def test_options_of_a_file_are_refused_beside_a_note(sonmf, name):
    given, spelt = on_the_line(PREDICT, name)
    refused(sonmf, f"{spelt}: only for a file of patients", "predict", "m.sonmf", "--note", "cough", *given)


@pytest.mark.parametrize("name", predict.OF_A_NOTE)
def test_options_of_a_note_are_refused_beside_a_file(sonmf, name):
    given, spelt = on_the_line(PREDICT, name)
    refused(sonmf, f"{spelt}: only for --note; a file has columns", "predict", "m.sonmf", "patients.csv", *given)


def test_several_are_named_together_and_a_value_that_is_the_default_counts(sonmf):
    said = "--out, --text, --top: only for"
    refused(sonmf, said, "predict", "m.sonmf", "--note", "cough", "--top", "3", "-o", "x.csv", "--text", "note")


@pytest.mark.parametrize("name", options.OF_TYPICAL_NOTES)
def test_columns_of_typical_notes_need_notes(sonmf, name):
    for verb, params in (("report", REPORT), ("serve", SERVE)):
        given, spelt = on_the_line(params, name)
        refused(sonmf, f"{spelt}: only for --notes, so give a file there too", verb, "m.sonmf", *given)


@pytest.mark.parametrize("verb", ["fit", "evaluate"])
@pytest.mark.parametrize("more", [[], ["--preset", "mimic-iv-ed"]])
def test_values_that_mean_missing_need_columns(sonmf, tmp_path, verb, more):
    notes, dispositions, _ = ward(40)
    lines = [f"{note},{disposition}" for note, disposition in zip(notes, dispositions, strict=True)]
    (tmp_path / "notes.csv").write_text("\n".join(["note,disposition", *lines]))
    said = "--missing is for columns beside the note: name them with --column or --subgroup"
    refused(sonmf, said, verb, tmp_path / "notes.csv", "--missing=-9", *more, "-o", tmp_path / "out")
    assert not (tmp_path / "out").exists()
