"""``sonmf topics``: the topics in words, and the names that people give them."""

from __future__ import annotations

import json
import re

import numpy as np

from sonmf.datasets import make_triage_notes
from sonmf.triage import TriageModel


def test_topics_are_shown_and_named(sonmf, folder):
    code, out, _ = sonmf("topics", folder / "model.sonmf", "--complaint", "Cough", "--name", "0=the [first]")
    assert code == 0
    assert "odds of admission" in out
    assert json.loads((folder / "model.sonmf.labels.json").read_text()) == {"Cough": {"0": "the [first]"}}
    assert TriageModel.load(folder / "model.sonmf").models_["Cough"].labels[0] == "the [first]"
    assert sonmf("topics", folder / "model.sonmf")[0] == 0
    assert sonmf("topics", folder / "model.sonmf", "--complaint", "Cough", "--name", "0=")[0] == 0
    assert json.loads((folder / "model.sonmf.labels.json").read_text()) == {"Cough": {"0": ""}}


def test_topics_list_words_without_filler_unless_asked_and_the_share_of_a_negative_side(sonmf, tmp_path):
    frame = make_triage_notes(600, complaints=["Fever"], random_state=0)
    TriageModel(12).fit(frame["note"], frame["disposition"]).save(tmp_path / "m.sonmf")
    one = TriageModel.load(tmp_path / "m.sonmf").pooled_model_
    code, out, _ = sonmf("topics", tmp_path / "m.sonmf", "--words", "3")
    _, everything, _ = sonmf("topics", tmp_path / "m.sonmf", "--words", "3", "--all-words")
    told = " ".join(out.split())
    assert code == 0
    assert f"not shown of 12 topics: {12 - np.count_nonzero(one.strength)} with no effect" in told
    assert '"No" before a word means that the note denies it' in told
    counting = [k for k in range(12) if one.strength[k]]
    hidden = {word for k in counting for word in one.topics(3)[k].hidden}
    shares = [topic.negative_share for k, topic in enumerate(one.topics(3)) if k in counting and topic.negative]
    assert hidden
    assert shares
    assert all(f"({share:.1%})" in out for share in shares)
    first = {word for k in counting for word, _ in one.topics(3, filler=())[k].positive}
    assert all(re.search(rf"\b{word}\b", everything) for word in first)
    assert 'Filler such as "yr old"' in told
    assert "Filler such as" not in everything
    assert len(re.findall(r"\(\d\.\d%\)", out)) == len(shares)
    for words in ("0", "31"):
        code, _, err = sonmf("topics", tmp_path / "m.sonmf", "--words", words)
        assert (code, err) == (2, f"sonmf: --words {words}: give a number from 1 to 30\n")


def test_topics_tells_which_would_come_back_with_other_patients(sonmf, folder, tmp_path):
    target = tmp_path / "model.sonmf"
    code, out, _ = sonmf(
        "fit", folder / "notes.csv", "--topics", "6", "--stability", "2", "--own-models", "always", "-o", target
    )
    assert code == 0
    assert "9 of 9 fits" in out  # two complaints and all of them, each fitted three times
    code, out, _ = sonmf("topics", target)
    assert code == 0
    model = TriageModel.load(target)
    for one in model.models_.values():
        stable = sum(found.score >= 0.8 for found in one.record.stability)
        assert f"Stable: {stable} of 6. The topics were fitted again to 2 other draws" in out
    shown = [
        found for one in model.models_.values() for found, move in zip(one.record.stability, one.strength, strict=True) if move
    ]
    assert len(re.findall(r"0\.\d\d unstable", out)) == sum(found.score < 0.8 for found in shown)
    assert "--stability 20" not in out
    assert "fit with --stability 20" in sonmf("topics", folder / "model.sonmf")[1]
