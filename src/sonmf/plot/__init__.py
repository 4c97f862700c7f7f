"""Pictures of fitted models, each on matplotlib axes. They need matplotlib, from the extra ``app``."""

from sonmf.plot.admission_effects import column_effects, effects
from sonmf.plot.convergence import convergence
from sonmf.plot.documents import documents
from sonmf.plot.forecasts import beds, calibration
from sonmf.plot.ranks import rank_curve
from sonmf.plot.topic_bars import topics
from sonmf.plot.topic_map import topic_map
from sonmf.plot.topic_stability import stability

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
