"""Times that come in parts are refused where the whole column is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sonmf.sources import TableError, dates
from sonmf.triage.times_in_parts import TimesInParts

CELLS = st.sampled_from(["3/4/2024", "5/5/2024", "31/3/2024", "3/31/2024", "2024-03-31", "1.4.2024", None, "", "soon"])


def refuses(work):
    try:
        work()
    except TableError:
        return True
    return False


@given(st.lists(CELLS, min_size=1, max_size=7), st.integers(0, 7), st.sampled_from(["", ":day-first", ":month-first"]))
def test_parts_are_refused_where_the_whole_is(values, cut, said):
    name, order = dates.column_and_order(f"at{said}")

    def in_parts():
        times = TimesInParts(f"at{said}", "a.csv")
        for part in (values[:cut], values[cut:]):
            times.add(part)
        times.end()

    assert refuses(in_parts) == refuses(lambda: dates.parse_times(values, name, "a.csv", order))


def test_the_sentence_names_the_row_and_the_remedy():
    times = TimesInParts("at", "a.csv")
    times.add(["3/4/2024"] * 3)
    with pytest.raises(TableError, match=r"a\.csv, after 3 rows, row 2, column 'at': 'soon' is not a date"):
        times.add(["2024-03-31", "soon"])
    times = TimesInParts("at", "a.csv")
    times.add(["3/4/2024"])
    with pytest.raises(TableError, match="give --time at:day-first or at:month-first"):
        times.end()
