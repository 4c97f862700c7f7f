"""A record's page in the API reference has its fields, with what the code says of them."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from sonmf.text import Topic


@pytest.fixture
def record_fields(monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parents[2] / "docs" / "_ext")
    return importlib.import_module("record_fields")


def test_fields_have_their_types_and_the_strings_below_them(record_fields):
    found = {name: (kind, text) for name, kind, text in record_fields.fields(Topic)}
    assert list(found) == list(Topic._fields)
    assert found["label"] == ("str", "The name that a person has given the topic.")


def test_fields_stand_before_the_examples(record_fields):
    lines = ["A topic.", "", ".. rubric:: Examples", "", ">>> 1"]
    record_fields.add_fields(None, "class", "sonmf.text.Topic", Topic, None, lines)
    written = "\n".join(lines)
    assert written.index("A topic.") < written.index(":Fields:") < written.index("**hidden**") < written.index("Examples")


def test_a_class_without_fields_is_left_as_it_is(record_fields):
    lines = ["A refusal."]
    record_fields.add_fields(None, "class", "ValueError", record_fields.ast.NodeVisitor, None, lines)
    assert lines == ["A refusal."]
