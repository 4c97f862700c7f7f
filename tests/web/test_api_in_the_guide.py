"""docs/guide/web_api.md: every request in it is answered, with the fields that it shows, and every path is mentioned."""

import json
import re
import shlex
from itertools import pairwise
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from sonmf.web import api

TEXT = (Path(__file__).parents[2] / "docs" / "guide" / "web_api.md").read_text(encoding="utf-8")
FILE = b"id,note,complaint\n1,fever and cough,Cough\n"
EXAMPLES = [
    (command, answer)
    for block, answer in re.findall(r"^```bash\n(.*?)^```(?:\n\n```json\n(.*?)^```)?", TEXT, re.S | re.M)
    for command in re.findall(r"^curl (?:.*\\\n)*.*$", block, re.M)
]


def lines_of(text):
    """The JSON values that stand one after another."""
    found, rest = [], text.strip()
    while rest:
        value, end = json.JSONDecoder().raw_decode(rest)
        found, rest = [*found, value], rest[end:].strip()
    return found


def lacks(shown, got):
    """What is shown and not in the answer; text is compared where it is a code."""
    if isinstance(shown, dict):
        missing = [name for name in shown if name not in got]
        return missing + [one for name in shown if name in got for one in lacks(shown[name], got[name])]
    if isinstance(shown, list):
        return [one for a, b in zip(shown, got, strict=False) for one in lacks(a, b)]
    return [] if type(shown) is type(got) or {type(shown), type(got)} == {int, float} else [shown]


@pytest.mark.parametrize(("command", "answer"), EXAMPLES, ids=lambda text: text.split("/api/v1")[-1][:20])
def test_a_request_of_the_guide_is_answered_as_it_shows(client, command, answer):
    words = shlex.split(command.replace("\\\n", " "))
    address = next(urlsplit(word) for word in words if word.startswith("http://"))
    given = dict(pairwise(words))
    name, _, value = given.get("-H", ":").partition(": ")
    body = FILE if "--data-binary" in given else given.get("-d")
    method = given.get("-X", "POST" if body else "GET")
    path = f"{address.path}?{address.query}" if address.query else address.path
    response = client.request(method, path, content=body, headers={name: value} if value else {})
    shown = lines_of(answer)
    assert (response.status_code == 200) == (not shown or "code" not in shown[0]), response.text
    if shown:
        got = lines_of(response.text)
        assert len(got) == len(shown)
        assert [lacks(one, other) for one, other in zip(shown, got, strict=True)] == [[]] * len(shown)
        assert shown[0].get("code") == got[0].get("code")
        assert shown[0].get("message") == got[0].get("message")


def test_the_guide_mentions_every_path():
    assert len(EXAMPLES) >= 10
    assert [path for path in json.loads(api.DESCRIPTION.read_text())["paths"] if f"/api/v1{path}" not in TEXT] == []
