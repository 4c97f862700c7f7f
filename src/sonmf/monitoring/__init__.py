"""A fixed model against what happened: figures by period with limits, drift before outcomes are known, a verdict."""

from sonmf.monitoring.alarm_limits import Budget
from sonmf.monitoring.calendar import Calendar
from sonmf.monitoring.drift import Drift, psi
from sonmf.monitoring.figures import Figure, figures_of
from sonmf.monitoring.history import Period
from sonmf.monitoring.verdict import Finding, Verdict, verdict

__all__ = ["Budget", "Calendar", "Drift", "Figure", "Finding", "Period", "Verdict", "figures_of", "psi", "verdict"]
