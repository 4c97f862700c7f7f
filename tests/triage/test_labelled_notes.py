"""Which rows of a table count, and what is said of the others."""

from __future__ import annotations

from collections import Counter

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sonmf.sources import open_table
from sonmf.triage.file_columns import FileColumns
from sonmf.triage.labelled_notes import age_band, read_labelled, subgroup_columns

VALUES = ["home", "ward", "ICU", "left", " ward ", None, "", "  "]


def written(folder, labels, ending=".csv"):
    frame = pd.DataFrame({"note": [f"note {k}" for k in range(len(labels))], "disposition": labels, "age": range(len(labels))})
    path = folder / f"notes{ending}"
    frame.to_parquet(path) if ending == ".parquet" else frame.to_csv(path, index=False)
    return path


@given(labels=st.lists(st.sampled_from(VALUES), max_size=30), ending=st.sampled_from([".csv", ".parquet"]))
def test_every_row_counts_once_or_is_said_to_be_left_out(tmp_path_factory, labels, ending):
    labels = ["home", "ward", *labels]
    path = written(tmp_path_factory.mktemp("notes"), labels, ending)
    asked = FileColumns(positive="ward", negative="home")
    data = read_labelled(open_table(path), asked)
    expected = {f"note {k}": label.strip() for k, label in enumerate(labels) if (label or "").strip() in ("home", "ward")}
    assert dict(zip(data.notes, data.disposition, strict=True)) == expected
    left = len(labels) - len(expected)
    assert sum(data.provenance.left_out.values()) == left
    assert [remark.split(":")[0] for remark in data.remarks] == (
        [f"{left} rows left out for their disposition"] if left else []
    )


def test_reading_returns_its_remarks_and_prints_nothing(tmp_path, capsys):
    path = written(tmp_path, ["admitted", "home", "left", None] * 6 + ["daughter"])  # where a row has shifted
    data = read_labelled(open_table(path), FileColumns(), ["age"])
    assert data.remarks == (
        "6 rows left out for their disposition: 6 (missing)",
        "not admitted: 6 home, 6 left, 1 (1 other value) (choose with --negative)",
    )
    assert Counter(data.disposition) == {"admitted": 6, "not admitted": 13}
    assert capsys.readouterr() == ("", "")


def test_one_outcome_is_refused_with_the_rows_that_are_left_out(tmp_path):
    path = written(tmp_path, ["admitted"] * 3 + [None] * 2)
    with pytest.raises(
        ValueError, match=r"'admitted' in column 'disposition' \(2 rows left out .* \(missing\)\): patients of both"
    ):
        read_labelled(open_table(path), FileColumns())


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (FileColumns(positive="wrad"), r"--positive wrad: column 'disposition' has no such value \(did you mean 'ward'\?\)"),
        (FileColumns(positive="ward", negative="hme"), "--negative hme: column 'disposition' has no such value"),
        (FileColumns(label="dispositon"), r"has no column 'dispositon' \(did you mean 'disposition'\?\)"),
        (FileColumns(preset="nice"), "--preset nice: there are altered-consciousness, neiss, mimic-iv-ed"),
    ],
)
def test_what_cannot_be_meant_is_refused(tmp_path, asked, message):
    path = written(tmp_path, ["home", "ward"] * 5)
    with pytest.raises(ValueError, match=message):
        read_labelled(open_table(path), asked)


@given(st.floats(0, 120) | st.integers(0, 120))
def test_an_age_is_in_its_band(age):
    low, _, high = age_band(age).removesuffix("+").partition("-")
    assert int(low) <= age
    assert (age < int(high) + 1) if high else age_band(age) == "80+"
    assert age_band(str(age)) == age_band(age)


def test_a_code_for_missing_is_one_however_its_file_spells_it(tmp_path):
    frame = pd.DataFrame({"note": ["a", "b", "c"], "disposition": ["admitted", "home", "home"], "age": [-9, None, 40]})
    asked = FileColumns(columns={"age": None}, missing=("-9",))
    for name, cells in (("text.csv", frame.astype({"age": "Int64"})), ("floats.csv", frame), ("floats.parquet", frame)):
        cells.to_parquet(tmp_path / name) if name.endswith("parquet") else cells.to_csv(tmp_path / name, index=False)
        values = read_labelled(open_table(tmp_path / name), asked).columns["age"]
        assert [value is None or value != value for value in values] == [True, True, False]


def test_what_is_no_age_is_unknown(tmp_path):
    assert [age_band(value) for value in (None, "", "old", float("nan"), "inf", -5)] == ["unknown"] * 6
    data = read_labelled(open_table(written(tmp_path, ["admitted", "home"] * 20)), FileColumns(), ["age"])
    assert subgroup_columns(data)["age"] == ["0-19"] * 20 + ["20-39"] * 20
