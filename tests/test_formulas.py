from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sonmf.files import escape_formula


@given(st.text(st.sampled_from("=+-@\t\r\n'0159.eE _abc")))
def test_no_text_that_would_run_is_left_and_numbers_are(cell):
    try:
        number = cell == cell.strip() and "_" not in cell and float(cell) is not None
    except ValueError:
        number = False
    safe = escape_formula(cell)
    assert safe in (cell, f"'{cell}")
    assert (safe == cell) == (number or not cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n")))


@pytest.mark.parametrize("cell", [None, 7, -3.5, -3, float("nan"), b"=1", "", "Cough", "007"])
def test_what_is_no_formula_stays(cell):
    assert escape_formula(cell) is cell
