"""Pictures of fitted models; they need matplotlib, which the extra ``app`` brings. Each returns matplotlib axes."""

from sonmf.plot.convergence import convergence
from sonmf.plot.documents import documents
from sonmf.plot.forecasts import beds, calibration
from sonmf.plot.found_again import stability
from sonmf.plot.ranks import rank_curve
from sonmf.plot.topic_map import topic_map
from sonmf.plot.topics import topics
from sonmf.plot.weights import column_effects, effects

__all__ = [
    "beds",
    "calibration",
    "column_effects",
    "convergence",
    "documents",
    "effects",
    "rank_curve",
    "stability",
    "topic_map",
    "topics",
]
