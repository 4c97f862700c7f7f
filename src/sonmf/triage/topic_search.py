"""Search for topics by a word: whether it is for or against each; an abbreviation is searched by its meaning."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from sonmf.text.lexicon import DENIED, MARK, STOP
from sonmf.text.note_reader import stem_words
from sonmf.triage.complaint import ComplaintModel

MOST = 20  # words that a search may find, the strongest
TOPICS = 5  # of each word
LEAST = 0.005  # a weight closer to 0 is written as 0.00


class WordInTopic(Struct, frozen=True):
    """A word of a topic, with its weight there."""

    word: str
    topic: int
    name: str
    weight: float


def search(model: ComplaintModel, word: str) -> list[WordInTopic]:
    """Which topics a word is for or against, strongest first; words that begin with it count too, or contain it if none does.

    Forms of a word that the model reads as one word are found by each other. An abbreviation of the model's list is searched by
    the words that it stands for, in any case. Several words are searched one by one, unless the model has them as they are.
    After "no", each is searched as a word that notes deny.
    """
    wanted = _meant(model, word)
    if not wanted:
        return []
    names, found = model.names, {j for part in wanted for j in _columns(model, part)}
    rows = [
        WordInTopic(word=model.spellings[j], topic=int(k), name=names[k], weight=float(model.components[k, j]))
        for j in sorted(found, key=lambda j: -np.abs(model.components[:, j]).max())[:MOST]
        for k in np.argsort(-np.abs(model.components[:, j]), kind="stable")[:TOPICS]
        if abs(model.components[k, j]) >= LEAST
    ]
    return sorted(rows, key=lambda row: -abs(row.weight))


def _columns(model: ComplaintModel, part: str) -> list[int]:
    stem = " ".join(stem_words(part.split())) if model.vectorizer.stem else part
    spelt = list(enumerate(zip(model.words, model.spellings, strict=True)))
    read = [
        j
        for j, (feature, spelling) in spelt
        if f" {stem} " in f" {feature.replace(MARK, DENIED)} " or f" {part}" in f" {spelling}"
    ]
    return read or [j for j, (_, spelling) in spelt if part in spelling]


def _meant(model: ComplaintModel, asked: str) -> list[str]:
    """The words to search for: the text itself if the model has such a word, else its words, abbreviations in full."""
    text = " ".join(asked.lower().split())
    meaning = {short.lower(): long.lower() for short, long in (model.vectorizer.abbreviations or {}).items()}
    if not text or (text not in meaning and _columns(model, text)):
        return [text] if text else []
    parts = meaning.get(text, " ".join(meaning.get(part, part) for part in text.split())).split()
    parts = [part for part in parts if part not in STOP]
    if len(parts) > 1 and parts[0] == DENIED.strip():
        return [DENIED + part for part in parts[1:]]
    return parts or [text]
