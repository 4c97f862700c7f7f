"""Beds by the hour, for patients who are present and for those who will arrive."""

from sonmf.beds.arrival_rates import Rates, expected_between, learn_rates, negative_binomial, shares_by_hour
from sonmf.beds.bed_distribution import BedsUntil, forecast
from sonmf.beds.hourly_forecast import Outlook, look_ahead
from sonmf.beds.local_hours import LocalHours
from sonmf.beds.options import BedOptions, span
from sonmf.beds.past_forecasts import PastForecasts, crps, judge, randomised_pit
from sonmf.beds.present_patients import Stays, TimedPatients, learn_stays, present, still_there

__all__ = [
    "BedOptions",
    "BedsUntil",
    "LocalHours",
    "Outlook",
    "PastForecasts",
    "Rates",
    "Stays",
    "TimedPatients",
    "crps",
    "expected_between",
    "forecast",
    "judge",
    "learn_rates",
    "learn_stays",
    "look_ahead",
    "negative_binomial",
    "present",
    "randomised_pit",
    "shares_by_hour",
    "span",
    "still_there",
]  # fmt: skip
