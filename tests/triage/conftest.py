import pytest
from wards import ward

from sonmf.triage import TriageModel


@pytest.fixture(scope="session")
def model():
    notes, dispositions, complaints = ward(900)
    complaints[:3] = ["Rare", "Rare", "Rare"]
    return TriageModel(n_topics=8).fit(notes, dispositions, complaints, subgroups={"side": ["left", "right"] * 450})
