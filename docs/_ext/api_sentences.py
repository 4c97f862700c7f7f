"""What the tables of the API reference say of a name whose docstring opens with a formula."""

from __future__ import annotations

from typing import Any

from sphinx.ext.autosummary import Autosummary

SENTENCES = {
    "SONMF": "Semi-orthogonal NMF: orthonormal topics of both signs, non-negative amounts.",
    "BinarySONMF": "Semi-orthogonal NMF for zeros and ones, with a log-odds for each word.",
    "NMF": "Non-negative matrix factorisation, by Lee and Seung's multiplicative updates.",
    "ONMF": "NMF with nearly orthogonal topics, by hierarchical alternating least squares.",
    "SemiNMF": "Topics without a constraint, non-negative amounts, by the updates of Ding, Li and Jordan.",
    "LogisticNMF": "Non-negative topics for zeros and ones, by gradient ascent.",
    "OutcomeAxes": "Directions of words made from an outcome, orthonormal beside the topics.",
    "text.NotesVectorizer": "From notes to a sparse, weighted document-word matrix.",
    "text.measurements": "The age, sex, vital signs and other numbers that each note states, as a table.",
    "text.seed_topics": "Topics requested by words, to be given to ``fixed_components``.",
    "triage.TriageModel": "A forecast of admission from notes and columns, with a model for each complaint.",
    "triage.expected_admissions": "How many beds to prepare for these patients, with an interval.",
    "triage.compare": "Two models, judged on the same patients.",
    "triage.Explanation": "One forecast and its exact parts.",
    "triage.ComplaintModel": "The topics, the effects and the calibration of one complaint.",
    "monitoring.figures_of": "Calibration in the large, calibration slope, AUROC and Brier score of one period.",
    "monitoring.psi": "The population stability index: how far shares have moved.",
    "datasets.make_triage_notes": "Generated patients: a complaint, a note and a disposition each, and columns on request.",
    "triage.Patients": "Patients in memory: a table, or a part of one.",
    "triage.Provenance": "How the patients of a fit were read, so that others are read in the same way.",
    "triage.Comparison": "The figures of two models on the same patients, and the verdict.",
    "triage.Beds": "How many beds to prepare, with an interval.",
    "datasets.COMPLAINTS": "The complaints of generated patients.",
    "datasets.PRESETS": "Published data sets that the package can read, by name.",
    "datasets.read_mimic_iv_ed": "Stays of MIMIC-IV-ED: its files edstays and triage as one table of chief complaints.",
    "sources.Query": "The rows that a query of a database returns.",
    "beds.look_ahead": "The beds that will be needed at each step of the window, and how good such forecasts were.",
    "beds.negative_binomial": "The distribution of a number of arrivals that varies more than a Poisson number.",
    "beds.span": 'A length of time such as "8h", "90m" or "1d" as a timedelta.',
    "beds.present": "The patients who are present at a moment.",
    "beds.learn_rates": "Arrivals by hour and weekday, learned from a history.",
    "beds.shares_by_hour": "The probability that a patient who arrives in this hour of the day needs a bed.",
    "beds.expected_between": "The patients who will arrive between two moments and need a bed.",
    "beds.forecast": "The distribution of the beds that patients present and patients to come will need.",
    "beds.BedsUntil": "The beds expected up to a moment, for patients who are present and for those who arrive by then.",
    "beds.Rates": "Arrivals per hour, learned from a history.",
    "beds.crps": "How far a forecast distribution is from the observed number.",
    "beds.randomised_pit": "The place of each observed number in the distribution that was forecast for it.",
    "engines.blocks.open_blocks": "A folder of blocks as an X that is read in parts and never all at once.",
    "engines.blocks.save_csr": "Write a sparse matrix as arrays that can be read in parts.",
    "metrics.average_residual": "The mean squared error of a factorisation.",
    "metrics.orthogonal_residual": "How far topics are from orthonormal: 0 if they are.",
    "metrics.subspace_distance": "The distance between two column spaces.",
    "metrics.sparsity": "The share of entries that are zero.",
    "metrics.mean_bernoulli_cost": "What binary methods minimise: the negative log-likelihood of an entry.",
    "metrics.probability_distance": "The distance between two matrices of probabilities.",
    "metrics.npmi": "Coherence: how often the leading words of a topic occur in the same document.",
    "metrics.npmi_of_pairs": "The coherence of every pair of words.",
    "metrics.diversity": "The share of different words in the lists of all topics.",
    "metrics.overlap": "How much a topic repeats its nearest one.",
    "metrics.directions": "Topics scaled to length 1.",
    "metrics.strongest_words": "The words with the largest positive weights.",
    "select_rank": "How many topics the data hold, by bi-cross-validation.",
    "stability.bootstrap": "How well each topic comes back when the documents are drawn again.",
    "plot.convergence": "The objective of one or several fits, iteration by iteration.",
    "plot.topic_map": "Topics as circles: near each other if the same documents have them.",
    "plot.compass": "Two topics as axes: each word is placed at its weights in both.",
    "plot.documents": "How much of each topic each document has, sorted by main topic.",
    "plot.beds": "The distribution of the beds that these patients need.",
    "simulate.continuous": "The paper's three scenarios, drawn as its authors do.",
    "simulate.binary": "The paper's simulation of zeros and ones.",
    "simulate.binary_with_log_odds": "The same simulation, with the true log-odds.",
    "simulate.corpus": "A tf-idf matrix of generated notes, as large as you like.",
}  # fmt: skip

DATA = {
    "sonmf.datasets.COMPLAINTS": "The seven complaints of the paper's table 5, by name. Each has its number of documents, "
    "``documents``, and the percentage of patients who went home, ``discharged_pct``.",
    "sonmf.datasets.PRESETS": "Published data sets by name: ``altered-consciousness``, ``neiss`` and ``mimic-iv-ed``. Each "
    "says how its files are read, which columns count, what the outcomes mean, and which words give an outcome away "
    "(``drop_words``).",
}


class Sentences(Autosummary):
    """Autosummary, with these sentences."""

    def get_items(self, names: list[str]) -> list[tuple[str, str | None, str, str]]:
        items = super().get_items(names)
        return [(name, signature, SENTENCES.get(name, summary), real) for name, signature, summary, real in items]


def describe(app: Any, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """A table of the package has no docstring of its own."""
    lines[:] = [DATA[name]] if name in DATA else lines


def setup(app: Any) -> dict[str, bool]:
    app.setup_extension("sphinx.ext.autosummary")
    app.connect("autodoc-process-docstring", describe)
    app.add_directive("autosummary", Sentences, override=True)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
