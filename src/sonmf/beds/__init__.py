"""Beds by the hour: for patients who are present, and for patients who will come."""

from sonmf.beds.arrival_rates import Rates, expected_between, learn_rates, shares_by_hour
from sonmf.beds.bed_distribution import Forecast, forecast
from sonmf.beds.clock import Clock
from sonmf.beds.hourly_forecast import Outlook, look_ahead
from sonmf.beds.options import BedOptions, span
from sonmf.beds.past_forecasts import PastForecasts, crps, judge, randomised_pit
from sonmf.beds.present_patients import Stays, TimedPatients, learn_stays, present, still_there

__all__ = [
    "BedOptions",
    "Clock",
    "Forecast",
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
    "present",
    "randomised_pit",
    "shares_by_hour",
    "span",
    "still_there",
]  # fmt: skip
