import pytest
from hypothesis import given
from hypothesis import strategies as st
from wards import CALM, FILLER, GRAVE, ward

from sonmf.text import NotesVectorizer
from sonmf.triage import TriageModel

PIECES = [
    *CALM,
    *GRAVE,
    *FILLER,
    "zebra",
    "no",
    "denies",
    "SOB",
    "x3d",
    "28YOF",
    ",",
    ". ",
    "\n",
    "don\u2019t",
    "İstanbul",
    "<b>",
    "🫁",
    "ab\ud800cd",
    "Crackling",
    "crackles",
]


@pytest.fixture(scope="module", params=["plain", "pairs", "negation and abbreviations"])
def one(request):
    choices = {
        "plain": {},
        "pairs": {"ngram_range": (1, 2)},
        "negation and abbreviations": {"negation": "mark", "abbreviations": {"SOB": "syncope or hypoxic"}},
    }
    notes, dispositions, _ = ward(400)
    notes[:40] = [f"denies cough. sob {note}" for note in notes[:40]]
    vectorizer = NotesVectorizer(**choices[request.param])
    return TriageModel(8, vectorizer=vectorizer).fit(notes, dispositions).pooled_model_


@given(st.lists(st.sampled_from(PIECES), max_size=15), st.sampled_from([" ", "", ", "]))
def test_the_pieces_are_the_note_and_add_up_to_the_forecast(one, words, separator):
    note = separator.join(words)
    why = one.explain(note, {})
    assert "".join(piece.text for piece in why.pieces) == note
    elsewhere = sum(part.contribution for part in why.columns if not part.measured)
    assert abs(why.intercept + sum(piece.contribution for piece in why.pieces) + elsewhere - why.log_odds) <= 1e-10


@given(st.lists(st.sampled_from(PIECES), max_size=15), st.sampled_from([" ", ", "]))
def test_unknown_words_are_listed_as_they_stand_in_the_note(one, words, separator):
    note = separator.join(words)
    marked = [piece.text for piece in one.explain(note, {}).pieces if piece.known is False]
    listed = [word.removeprefix("no ") for word in one.explain(note, {}).unknown]
    assert list(dict.fromkeys(marked))[:1] == listed[:1]
    assert set(listed) <= set(marked)
    stems = [one.vectorizer.trace(word)[0][2][0] for word in marked]
    assert {one.vectorizer.trace(word)[0][2][0] for word in listed} == set(stems)


def test_words_are_known_unknown_or_neither(one):
    found = {piece.text: piece.known for piece in one.explain("the syncope, zebra 12", {}).pieces}
    assert found["syncope"] is True
    assert found["zebra"] is False
    assert found["the "] is None
    assert found[", "] is None
    assert found[" 12"] is None


def test_a_repeated_word_shares_its_part(model):
    cough = model.models_["Cough"]
    first, second = (piece.contribution for piece in cough.explain("ankle today ankle", {}).pieces if piece.text == "ankle")
    assert first == pytest.approx(second)
