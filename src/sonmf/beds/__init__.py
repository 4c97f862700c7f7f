"""Beds by the hour: for those present, and for those who will come."""

from sonmf.beds.arrivals import Rates, expected_between, learn_rates, shares_by_hour
from sonmf.beds.clock import Clock, span
from sonmf.beds.forecast import Forecast, forecast
from sonmf.beds.judging import Judged, crps, judge, randomised_pit
from sonmf.beds.presence import Patients, arriving, present

__all__ = [
    "Clock", "Forecast", "Judged", "Patients", "Rates", "arriving", "crps", "expected_between", "forecast", "judge", "learn_rates",
    "present", "randomised_pit", "shares_by_hour", "span",
]  # fmt: skip
