"""From streams of words to streams of features and to a matrix: abbreviations in full, pairs of words, counts."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import scipy.sparse

from sonmf.text import tokens
from sonmf.text.tokens import Stream
from sonmf.types import Array

LIMIT = np.iinfo(np.int32).max


def expand(stream: Stream, abbreviations: dict[str, list[str]]) -> Stream:
    """Each abbreviation replaced by the words it stands for."""
    ids, words = stream
    if not any(word in abbreviations for word in words):
        return stream
    index: dict[str, int] = {}
    spelled = [[index.setdefault(w, len(index)) for w in abbreviations.get(word, [word])] for word in words]
    first = np.cumsum([0] + [len(s) for s in spelled])
    flat = np.array([w for s in spelled for w in s] + tokens.NEGATIVE_IDS, np.int32)
    length = np.append(np.diff(first), [1, 1, 1])
    start = np.append(first[:-1], len(flat) + np.array([-3, -2, -1]))
    count = length[ids]
    within = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    return Stream(flat[np.repeat(start[ids], count) + within], list(index))


def ngrams(single: Stream, low: int, high: int) -> Stream:
    """Single words, pairs of neighbouring words of a note, or both."""
    if high == 1:
        return single
    ids, names = single
    stream = ids[ids != tokens.BREAK_ID]
    pairs = np.flatnonzero((stream[:-1] >= 0) & (stream[1:] >= 0))
    code = stream[pairs].astype(np.int64) * len(names) + stream[pairs + 1]
    distinct, inverse = np.unique(code, return_inverse=True)
    spelled = [f"{names[a]} {names[b]}" for a, b in zip(distinct // len(names), distinct % len(names), strict=True)]
    singles = names if low == 1 else []
    body = stream if low == 1 else np.where(stream >= 0, tokens.BREAK_ID, stream)
    return Stream(np.insert(body, pairs + 1, (inverse + len(singles)).astype(np.int32)), [*singles, *spelled])


def with_pairs(found: list[list[str]], *, keep_single: bool) -> list[list[str]]:
    """Pairs of neighbouring content words, each with both of its words."""
    content = [i for i, features in enumerate(found) if features]
    result = [list(features) if keep_single else [] for features in found]
    for a, b in pairwise(content):
        pair = f"{found[a][0]} {found[b][0]}"
        result[a].append(pair)
        result[b].append(pair)
    return result


def sort_names(stream: Stream) -> Stream:
    """The same stream with the names in alphabetical order."""
    ids, names = stream
    order = sorted(range(len(names)), key=names.__getitem__)
    rank = np.empty(len(names) + 2, np.int32)
    rank[order] = np.arange(len(names), dtype=np.int32)
    rank[-2:] = tokens.END_ID, tokens.BREAK_ID
    return Stream(rank[ids], [names[old] for old in order])


def count_matrix(ids: Array, rows: int, columns: int) -> scipy.sparse.csr_array:
    """How often each feature occurs in each note."""
    is_word = ids >= 0
    indptr = np.zeros(rows + 1, np.int32 if len(ids) <= LIMIT else np.int64)
    indptr[1:] = np.cumsum(is_word)[ids == tokens.END_ID]
    counts = scipy.sparse.csr_array((np.ones(indptr[-1]), ids[is_word], indptr), shape=(rows, columns))
    counts.sum_duplicates()
    return counts


def select_columns(counts: scipy.sparse.csr_array, kept: Array) -> scipy.sparse.csr_array:
    """These columns, given in ascending order."""
    place = np.full(counts.shape[1], -1, np.int32)
    place[kept] = np.arange(len(kept), dtype=np.int32)
    chosen = place[counts.indices] >= 0
    indptr = np.concatenate([[0], np.cumsum(chosen)])[counts.indptr].astype(counts.indptr.dtype)
    parts = counts.data[chosen], place[counts.indices[chosen]], indptr
    return scipy.sparse.csr_array(parts, shape=(counts.shape[0], len(kept)))
