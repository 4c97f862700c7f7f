"""Beds by the hour: for those present, and for those who will come."""

from sonmf.beds.arrivals import Rates, expected_between, learn_rates, shares_by_hour
from sonmf.beds.clock import Clock, span
from sonmf.beds.forecast import Forecast, forecast
from sonmf.beds.judging import Judged, crps, judge, randomised_pit
from sonmf.beds.options import Asked
from sonmf.beds.outlook import Outlook, look_ahead
from sonmf.beds.presence import Patients, Stays, arriving, learn_stays, present, still_there

__all__ = [
    "Asked", "Clock", "Forecast", "Judged", "Outlook", "Patients", "Rates", "Stays", "arriving", "crps", "expected_between",
    "forecast", "judge", "learn_rates", "learn_stays", "look_ahead", "present", "randomised_pit", "shares_by_hour", "span",
    "still_there",
]  # fmt: skip
