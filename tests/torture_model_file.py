"""Damaged and crafted model files: how many are tried, and which of them load or fail otherwise than in a sentence.

``flips``, ``blocks`` and ``edits`` take the bytes of a model file, how often to try, and a seed; ``crafted`` yields files whose
checksum is right and whose contents are not.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from sonmf.triage import ModelFileError, TriageModel

BLOCK = 4096


class Tally(NamedTuple):
    """What became of damaged files; all is well where ``loaded`` and ``defects`` are empty."""

    tried: int
    loaded: list[str]
    defects: list[str]


def flips(data: bytes, n: int, seed: int) -> Tally:
    """One bit turned, anywhere in the file."""
    return tally(_flips(data, n, np.random.default_rng(seed)))


def blocks(data: bytes, n: int, seed: int) -> Tally:
    """4 KB (or a tenth of a smaller file) of zeros, ones or noise, anywhere in the file."""
    return tally(_blocks(data, n, np.random.default_rng(seed)))


def edits(data: bytes, n: int, seed: int) -> Tally:
    """Bytes cut off, added, left out or doubled."""
    return tally(_edits(data, n, np.random.default_rng(seed)))


def tally(damaged: Iterable[tuple[str, bytes]]) -> Tally:
    """Try to load each file."""
    tried, loaded, defects = 0, [], []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.sonmf")
        for name, data in damaged:
            path.write_bytes(data)
            tried += 1
            try:
                TriageModel.load(path)
                loaded.append(name)
            except ModelFileError as error:
                if len(str(error).splitlines()) != 1:
                    defects.append(f"{name}: more than a sentence")
            except Exception as error:
                defects.append(f"{name}: {type(error).__name__}: {error}")
    return Tally(tried, loaded, defects)


def _flips(data: bytes, n: int, random: np.random.Generator) -> Iterator[tuple[str, bytes]]:
    for _ in range(n):
        place, bit = int(random.integers(len(data))), int(random.integers(8))
        yield f"bit {bit} of byte {place}", data[:place] + bytes([data[place] ^ 1 << bit]) + data[place + 1 :]


def _blocks(data: bytes, n: int, random: np.random.Generator) -> Iterator[tuple[str, bytes]]:
    size = min(BLOCK, len(data) // 10)
    while n:
        start = int(random.integers(len(data) - size + 1))
        kind = ("zeros", "ones", "noise")[int(random.integers(3))]
        fill = {"zeros": bytes(size), "ones": b"\xff" * size, "noise": random.bytes(size)}[kind]
        if (found := data[:start] + fill + data[start + size :]) != data:
            n -= 1
            yield f"{kind} at {start}", found


def _edits(data: bytes, n: int, random: np.random.Generator) -> Iterator[tuple[str, bytes]]:
    while n:
        a, b = sorted(int(place) for place in random.integers(len(data), size=2))
        kind = ("cut off", "added", "left out", "doubled")[int(random.integers(4))]
        found = {
            "cut off": data[:a],
            "added": data + random.bytes(b - a),
            "left out": data[:a] + data[b:],
            "doubled": data[:b] + data[a:],
        }[kind]
        if found != data:
            n -= 1
            yield f"{kind} {a} {b}", found


def packed(header: dict | bytes, body: bytes, *, sealed: bool = True) -> bytes:
    """A file by the book: docs/format.md, without any of the package's code."""
    text = header if isinstance(header, bytes) else json.dumps(header, ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    data = len(text).to_bytes(8, "little") + text + body
    return data + hashlib.sha256(data).digest() if sealed else data


def unpacked(data: bytes) -> tuple[dict, bytes]:
    """The header of a file with a checksum, and the arrays without it."""
    start = 8 + int.from_bytes(data[:8], "little")
    return json.loads(data[8:start]), data[start:-32]


def changed(data: bytes, change) -> bytes:
    """The file with another header of the model: ``change(header)`` returns what to write, as an object or as JSON text."""
    outer, body = unpacked(data)
    found = change(header_of(data))
    text = (found if isinstance(found, str) else json.dumps(found)).encode()
    start = outer["header"]["data_offsets"][0]
    end = start + len(text)
    outer["header"] |= {"shape": [len(text)], "data_offsets": [start, end]}
    outer["sha256"] |= {"data_offsets": [end, end + 32]}
    return packed(outer, body[:start] + text)


def header_of(data: bytes) -> dict:
    """The header of the model, which lies behind the arrays of numbers."""
    outer, body = unpacked(data)
    return json.loads(body[slice(*outer["header"]["data_offsets"])])


def crafted(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Files that somebody made by hand: right checksum, wrong contents."""
    yield from _crafted_layouts(*unpacked(data))
    yield from _crafted_texts(data)
    yield from _crafted_arrays(*unpacked(data))
    yield from _crafted_headers(data)


def _crafted_layouts(outer: dict, body: bytes) -> Iterator[tuple[str, bytes]]:
    def with_entry(name: str, **change) -> bytes:
        return packed(outer | {name: outer[name] | change}, body)

    first, last, other = (f"complaints.0.forecaster.{name}" for name in ("components", "vectorizer.idf", "effects"))
    a, b = outer[first]["data_offsets"]
    rows, columns = outer[first]["shape"]
    for dtype in ("BF16", "F32", "F16", "I64", "U64", "BOOL", "F8_E4M3", "f64", "", None, 7, ["F64"]):
        yield f"dtype {dtype}", with_entry(first, dtype=dtype)
    for offsets in ([a + 8, b + 8], [a, b + 8], [b, a], [-8, b], [a, 10**15], [0, 2**64], [a], [a, b, b], [a, "b"], None):
        yield f"offsets {offsets}", with_entry(first, data_offsets=offsets)
    yield "overlap", with_entry(last, data_offsets=[a, a + 8 * outer[last]["shape"][0]])
    for shape in (
        [rows, columns + 1], [columns, rows], [rows * columns], [rows, columns, 1], [-rows, -columns], [2**62, 4],
        [10**18, 10**18], [], [0], [0, 10**18], [1] * 10**5, [rows, 1.0], [True, columns], "x", [[rows], columns],
    ):  # fmt: skip
        yield f"shape {str(shape)[:20]}", with_entry(first, shape=shape)
    yield "an array too many", packed(outer | {"9.columns.x": {"dtype": "U8", "shape": [1], "data_offsets": [0, 1]}}, body)
    for name in ("__metadata__", first, "header", "sha256"):
        yield f"without {name}", packed({key: value for key, value in outer.items() if key != name}, body)
    seal = outer["sha256"]["data_offsets"]
    yield "short checksum", with_entry("sha256", shape=[16], data_offsets=[seal[0], seal[0] + 16])
    yield "checksum first", packed(outer | {"sha256": {"dtype": "U8", "shape": [32], "data_offsets": [0, 32]}}, body)
    metadata = outer["__metadata__"]
    for change in (
        {"version": "0"},
        {"version": "2"},
        {"version": "two"},
        {"version": ""},
        {"format": "other"},
        {"version": 1},
    ):
        yield f"metadata {change}", packed(outer | {"__metadata__": metadata | change}, body)
    yield "metadata in a list", packed(outer | {"__metadata__": [metadata]}, body)
    text = json.dumps(outer).encode()
    yield "key twice", packed(text[:-1] + f', "{last}": {json.dumps(outer[other])}}}'.encode(), body)
    yield "after the header", packed(text + b"{}", body)
    yield "not UTF-8", packed(text.replace(last.encode(), b"0.\xff\xfe\xfd"), body)
    yield "a list", packed(b"[" + text + b"]", body)
    yield "no JSON", packed(b"{" * len(text), body)
    yield "deep", packed(b'{"a":' * 10**6, body)
    yield "deep list", packed(b"[" * 10**6 + b"]" * 10**6, body)
    yield "empty header", packed(b"{}", body)
    yield "long header", (10**8 + 1).to_bytes(8, "little") + text + body
    yield "huge header", (2**64 - 1).to_bytes(8, "little") + text + body
    yield "only a header", packed(outer, b"")


def _crafted_texts(data: bytes) -> Iterator[tuple[str, bytes]]:
    """JSON that Python would read and the format does not have, in place of numbers of the header."""
    texts = ("Infinity", "-Infinity", "NaN", "1e400", "-1e999", "1" + "0" * 400, "1" * 5000, "[" * 10**5 + "]" * 10**5)
    for text in (*texts, '{"a":' * 10**5 + "1" + "}" * 10**5, '"\\ud800"', "1, 2", "", "1e31", '{"a": 1, "a": 2}'):
        yield f"intercept {text[:12]}", changed(data, lambda header, text=text: _with_text(header, "intercept", text))
        if text != "1e31":
            yield f"residual {text[:12]}", changed(data, lambda header, text=text: _with_text(header, "residual", text))
    for text in ("", "{", "[]", "{}", "null", "1", '"x"', "[" * 10**6):
        yield f"header {text[:9]}", changed(data, lambda _, text=text: text)


def _with_text(header: dict, key: str, text: str) -> str:
    one = header["complaints"][0]
    place = one["forecaster"] if key in one["forecaster"] else one["record"]
    place[key] = "MARK"
    return json.dumps(header).replace('"MARK"', text)


def _crafted_arrays(outer: dict, body: bytes) -> Iterator[tuple[str, bytes]]:
    """A number that no fit produces, in each array."""
    values = {
        "NaN": np.nan,
        "inf": np.inf,
        "-inf": -np.inf,
        "subnormal": 5e-324,
        "-subnormal": -1e-310,
        "huge": 1e31,
        "-huge": -1e300,
    }
    wrong = {"components": 0.5, "covariance": -1e-9, "idf": 0.123456789}
    for name, entry in outer.items():
        if name in ("__metadata__", "header", "sha256"):
            continue
        start, stop = entry["data_offsets"]
        if start == stop:
            continue
        kind = name.split(".")[-1]
        for what, value in (values | ({"wrong": wrong[kind]} if kind in wrong else {})).items():
            for place in (start, start + (stop - start) // 16 * 8, stop - 8):
                yield f"{what} in {name}", packed(outer, body[:place] + np.float64(value).tobytes() + body[place + 8 :])


def _crafted_headers(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Every field of the header missing, and every one of a wrong type; of a list the first item."""
    header = header_of(data)
    for path in _fields(header):
        name = ".".join(map(str, path))
        if not _may_be_missing(path):
            yield f"without {name}", changed(data, lambda header, path=path: _set(header, path, None, remove=True))
        for value in _wrong(header, path):
            yield f"{name} = {value}", changed(data, lambda header, path=path, value=value: _set(header, path, value))
    bounds = {
        (*FORECASTER, "n_notes"): [0, -1, 5], (*FORECASTER, "n_admitted"): [0, -1, 10**9],
        (*FORECASTER, "components"): [None, "header", "complaints.0.forecaster.effects"],
        (*FORECASTER, "columns"): [[{"name": "age", "kind": "number"}]], (*RECORD, "merit", "topics"): [[99], [-1], [0, 0]],
        (*WORDS, "vocabulary"): [["a"] * 9], (*WORDS, "spelling"): [["a"]],
        ("complaints", 0, "labels"): [[]], ("complaints", 0, "name"): ["x"],
    }  # fmt: skip
    for path, values in bounds.items():
        for value in values:
            yield f"{path} = {value}", changed(data, lambda header, path=path, value=value: _set(header, path, value))
    for path, value in {
        ("classes",): ["a", "a"], ("complaints",): header["complaints"] * 2, ("parameters", "n_topics"): 0,
        ("parameters", "method"): "pca", ("parameters", "more"): 1, (*WORDS, "settings", "more"): 1,
        (*WORDS, "more"): 1, (*FORECASTER, "more"): 1,
        (*WORDS, "settings", "ngram_range"): [1, 99], (*RECORD, "lasso", "chosen"): 999,
        (*LEADING, 2): 1.5, (*LEADING, 0, 0, 0): 10**6, LEADING: None, (*LEADING, 0, 0, 1): -0.5, (*LEADING, 1, 0, 1): 0.5,
        (*LEADING, 0, 1): header["complaints"][0]["record"]["leading_words"][0][0][0],
        (*RECORD, "leading_words"): header["complaints"][0]["record"]["leading_words"][1:],
        (*RECORD, "out_of_fold", "roc"): [0.5], (*RECORD, "merit", "patients"): [1],
        (*RECORD, "replicates"): 3, (*OCCURRENCE, "energy"): [0.5], (*OCCURRENCE, "notes", 0, 1): 11,
        (*OCCURRENCE, "notes", 0, 0): 10**6, (*OCCURRENCE, "correlation", 0, 0): 1.5,
        (*RECORD, "stability"): [{"score": 0.5, "low": 0.4, "high": 0.6}],
    }.items():  # fmt: skip
        yield f"{path} = {str(value)[:20]}", changed(data, lambda header, path=path, value=value: _set(header, path, value))


OPTIONS = ("preset", "subgroups", "columns", "kinds", "missing", "time", "period", "patient", "data")
RECORD, FORECASTER = ("complaints", 0, "record"), ("complaints", 0, "forecaster")
WORDS = (*FORECASTER, "vectorizer")
OCCURRENCE = (*RECORD, "occurrence")
LEADING = (*RECORD, "leading_words", 0)
FREE = (  # any keys
    *(("pooled",), ("versions",), (*WORDS, "settings", "abbreviations")),
    *(("provenance", name) for name in ("admitted", "not_admitted", "left_out")),
)
UNSAID = ("provenance", "patient")  # null, and otherwise any text
LABELS = (("parameters", "positive"), ("classes", 0))  # any value but a list or an object


def _may_be_missing(path: tuple) -> bool:
    """Items of lists, keys of any name, options that were not given, and what older files do not have."""
    return path[-1] == 0 or path == OCCURRENCE or path[:-1] in FREE or (path[:-1] == ("provenance",) and path[-1] in OPTIONS)


def _fields(value, path: tuple = ()) -> Iterator[tuple]:
    if path:
        yield path
    items = value.items() if isinstance(value, dict) else enumerate(value[:1]) if isinstance(value, list) else ()
    for key, item in items:
        yield from _fields(item, (*path, key))


def _wrong(header: dict, path: tuple) -> list:
    value = header
    for key in path:
        value = value[key]
    others = {"text": "text", "number": 0.5, "true": True, "list": [["x"]], "object": {"x": {}}}
    kind = {str: "text", bool: "true", int: "number", float: "number", list: "list", dict: "object"}.get(type(value))
    if path in LABELS:
        return [others["list"], others["object"]]
    if path == UNSAID:
        return [others["object"], True]
    wrong = [other for name, other in others.items() if name != kind] + ([-1] if type(value) is int else [])
    return [*wrong, others["list"]] if kind == "list" else wrong if kind else [others["object"], "text", True]


def _set(header: dict, path: tuple, value, *, remove: bool = False) -> dict:
    place = header
    for key in path[:-1]:
        place = place[key]
    if remove:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return header
