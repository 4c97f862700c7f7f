"""From notes to a weighted matrix, and from topics back to words."""

from sonmf.text.topics import Topic, top_documents, top_words
from sonmf.text.vectorizer import NotesVectorizer

__all__ = ["NotesVectorizer", "Topic", "top_documents", "top_words"]
