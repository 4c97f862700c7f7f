import pytest
from processes import work_here
from wards import ward

from sonmf.triage import TriageModel


@pytest.fixture(scope="session")
def model():
    notes, dispositions, complaints = ward(900)
    complaints[:3] = ["Rare", "Rare", "Rare"]
    return TriageModel(n_topics=8, own_models="always").fit(
        notes, dispositions, complaints, subgroups={"side": ["left", "right"] * 450}
    )


@pytest.fixture
def real_processes():
    """For a test of an evaluation whose fits are made in processes of their own, as usual."""


@pytest.fixture(autouse=True)
def fits_of_evaluations(request, monkeypatch):
    """They are made in this process: to start another takes longer than the small fits of a test."""

    if "real_processes" not in request.fixturenames:
        work_here(monkeypatch, at_most=99)
