"""Whoever copies the BibTeX and whoever's tool reads CITATION.cff cite the same works."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]


def cited():
    """The works of CITATION.cff in the fields of BibTeX: article, preprint, software."""
    software = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    article, preprint = software["references"]
    return {
        "article": as_bibtex(article) | {"number": str(article["issue"]), "pages": f"{article['start']}--{article['end']}"},
        "misc": as_bibtex(preprint)
        | {"eprint": preprint["identifiers"][0]["value"].removeprefix("arXiv:"), "archiveprefix": "arXiv"},
        "software": as_bibtex(software),
    }


def as_bibtex(work):
    names = [
        f"{{{who['name']}}}" if "name" in who else f"{who['family-names']}, {who['given-names']}" for who in work["authors"]
    ]
    same = ("title", "journal", "year", "volume", "doi", "version", "license")
    return {"author": " and ".join(names)} | {field: str(work[field]) for field in same if field in work}


def printed():
    """The entries of docs/citing.md, by their type; a long field goes on in the next line."""
    text = (ROOT / "docs" / "citing.md").read_text()
    entries = re.findall(r"^@(\w+)\{\w+,\n(.*?)^\}", text, re.M | re.S)
    fields = {kind: re.findall(r"^  (\w+) += \{(.*?)\},?$", body, re.M | re.S) for kind, body in entries}
    return {kind: {name: " ".join(value.split()) for name, value in found} for kind, found in fields.items()}


def test_the_page_and_the_file_name_the_same_works():
    assert printed().keys() == cited().keys()


@pytest.mark.parametrize("kind", ["article", "misc", "software"])
def test_the_page_and_the_file_agree_in_every_field(kind):
    assert printed()[kind] == cited()[kind]


def test_the_identifiers_are_those_of_the_readme():
    readme = (ROOT / "README.md").read_text()
    assert f"doi:{cited()['article']['doi']}" in readme
    assert f"arXiv:{cited()['misc']['eprint']}" in readme
