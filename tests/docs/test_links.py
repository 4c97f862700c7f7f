"""The check of the built site finds what is broken, and only that."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def links(monkeypatch):
    monkeypatch.syspath_prepend(DOCS)
    return importlib.import_module("check_links")


@pytest.fixture
def site(tmp_path):
    def build(**pages):
        for name, body in pages.items():
            path = tmp_path / f"{name.replace('__', '/')}.html"
            path.parent.mkdir(exist_ok=True)
            path.write_text(f"<html><body>{body}</body></html>", encoding="utf-8")
        return tmp_path

    return build


@pytest.mark.parametrize(
    ("link", "why"),
    [
        ("guide/page.html", ""),
        ("guide/page.html?v=1#here", ""),
        ("guide/page.html#%68ere", ""),
        ("#top", ""),
        ("guide/", ""),
        ("https://example.org/gone.html#nowhere", ""),
        ("mailto:ward@example.org", ""),
        ("guide/pages.html", "there is no such file"),
        ("guide/page.html#there", "the page has no such anchor"),
        ("#bottom", "the page has no such anchor"),
        ("../other.html", "is outside the site"),
    ],
)
def test_a_link_is_sound_or_the_reason_is_named(links, site, capsys, link, why):
    page = '<p id="here"></p><a href="../index.html#top">home</a>'
    folder = site(index=f'<p id="top"></p><a href="{link}">x</a>', guide__page=page, guide__index="")
    assert links.main(folder) == bool(why)
    assert capsys.readouterr().err == (f"index.html: {link}: {why}\n" if why else "")


def test_pictures_count_and_other_sites_are_listed_as_not_tried(links, site, capsys):
    folder = site(index='<img src="gone.png"><a href="https://doi.org/10.1">a</a><a href="https://doi.org/10.2">b</a>')
    assert links.main(folder) == 1
    said = capsys.readouterr()
    assert said.err == "index.html: gone.png: there is no such file\n"
    assert "1 broken; not tried: doi.org 2" in said.out


def test_a_site_without_pages_is_not_sound(links, tmp_path):
    assert links.main(tmp_path) == 1
