"""Pictures of fitted models on matplotlib axes. They need the extra ``plots``; pictures of a forecast also need ``app``."""

from sonmf.plot.admission_effects import column_effects, effects
from sonmf.plot.documents import documents, topic_map
from sonmf.plot.fits import convergence, rank_curve, stability
from sonmf.plot.forecasts import beds, calibration
from sonmf.plot.topic_bars import topics
from sonmf.plot.topics_page import explore
from sonmf.plot.word_compass import compass

__all__ = [
    "beds",
    "calibration",
    "column_effects",
    "compass",
    "convergence",
    "documents",
    "effects",
    "explore",
    "rank_curve",
    "stability",
    "topic_map",
    "topics",
]
