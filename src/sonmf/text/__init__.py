"""From notes to a weighted matrix and to measurements, and from topics back to words."""

from sonmf.text.note_numbers import Located, located, measurements
from sonmf.text.seeds import Seeds, seed_topics
from sonmf.text.topic_words import Topic, top_documents, top_words
from sonmf.text.vectorizer import Analysis, NotesVectorizer

__all__ = [
    "Analysis",
    "Located",
    "NotesVectorizer",
    "Seeds",
    "Topic",
    "located",
    "measurements",
    "seed_topics",
    "top_documents",
    "top_words",
]
