"""The topics of any model as one HTML file, with the charts of the report and without a forecast."""

from __future__ import annotations

from collections.abc import Sequence

from sonmf.triage.model_report import TopicReport
from sonmf.triage.topics_together import Compass, PlacedTopic
from sonmf.web.standalone import standalone_html


def explore_html(
    title: str, topics: Sequence[TopicReport], placed: Sequence[PlacedTopic], compass: Compass, ranked_by: str
) -> str:
    """Map, compass and topics, those with most documents first."""
    return standalone_html(
        "explore.html",
        heading=title,
        one={"title": title, "topics": topics, "map": placed, "n_notes": compass.total, "ranked_by": ranked_by},
        largest_first=sorted(topics, key=lambda topic: -placed[topic.number].energy),
        compass=compass,
        generated=False,
    )
