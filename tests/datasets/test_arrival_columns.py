"""Generated patients come and go by the clock, and the notes are the same as without it."""

import numpy as np
import pytest

from sonmf.datasets import make_triage_notes
from sonmf.datasets.notes import A_DAY, BY_HOUR, BY_WEEKDAY


def test_the_clock_changes_nothing_else():
    plain, clocked = (make_triage_notes(300, details=True, random_state=0, first_day=day) for day in (None, "2024-02-29"))
    assert clocked[list(plain.columns)].equals(plain)
    assert list(clocked.columns.difference(plain.columns)) == ["arrival", "departure", "ward"]


def test_arrivals_have_the_rates_of_their_hours_and_weekdays():
    weeks = 12
    frame = make_triage_notes(int(weeks * 7 * A_DAY * BY_WEEKDAY.mean()), first_day="2024-01-03", random_state=0)  # a Wednesday
    when = frame["arrival"]
    whole = when[when < when.iloc[0].normalize() + np.timedelta64(7 * (weeks - 1), "D")]
    rates = BY_WEEKDAY[:, None] * BY_HOUR * A_DAY / BY_HOUR.sum() * (weeks - 1)
    seen = np.histogram2d(whole.dt.day_of_week, whole.dt.hour, [range(8), range(25)])[0]
    scatter = ((seen - rates) ** 2 / rates).sum()
    assert abs(scatter - rates.size) < 4 * np.sqrt(2 * rates.size)  # chi squared, as a Poisson process has it


def test_the_admitted_stay_longer():
    frame = make_triage_notes(2000, first_day="2024-01-01", random_state=0)
    hours = (frame["departure"] - frame["arrival"]).dt.total_seconds() / 3600
    median = hours.groupby(frame["disposition"]).median()
    assert (hours > 0).all()
    assert median["admitted"] > median["discharged"] + 1


def test_a_day_that_is_none_is_refused():
    with pytest.raises(ValueError, match="first_day='Monday' must be a day such as 2024-01-01"):
        make_triage_notes(10, first_day="Monday")
