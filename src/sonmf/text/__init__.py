"""From notes to a weighted matrix and to measurements, and from topics back to words."""

from sonmf.text.note_numbers import Located, located, measurements
from sonmf.text.topics import Topic, top_documents, top_words
from sonmf.text.vectorizer import NotesVectorizer

__all__ = ["Located", "NotesVectorizer", "Topic", "located", "measurements", "top_documents", "top_words"]
