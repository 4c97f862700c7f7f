"""Every link within the built pages leads somewhere: ``python docs/check_links.py docs/_build/html``.

Follows each address of a built page to the file it names and to the anchor in that file, and prints the broken ones, a line
each. Exits with 1 where there are any. Addresses of other sites are counted by site and not tried: the build has no network.
"""

from __future__ import annotations

import sys
from collections import Counter
from functools import cached_property
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urldefrag, urlsplit


def pages(folder: Path) -> list[Path]:
    """The files of HTML under a folder, without the theme's own templates."""
    return sorted(path for path in folder.rglob("*.html") if "_static" not in path.relative_to(folder).parts)


class Page(HTMLParser):
    """What a page of HTML links to, and the anchors it has."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attributes}
        self.anchors |= {found[name] for name in ("id", "name") if name in found}
        if not {"preconnect", "canonical"} & set(found.get("rel", "").split()):
            self.links += [found[name] for name in ("href", "src") if name in found]


class Broken(NamedTuple):
    page: str
    link: str
    why: str


class Site:
    """The pages under a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()

    @cached_property
    def pages(self) -> dict[Path, Page]:
        return {path: Page(path) for path in pages(self.folder)}

    @property
    def links(self) -> list[tuple[Path, str]]:
        return [(path, link) for path, page in self.pages.items() for link in dict.fromkeys(page.links)]

    def broken(self) -> list[Broken]:
        found = ((path, link, self.why_broken(path, link)) for path, link in self.links if not leads_away(link))
        return [Broken(str(path.relative_to(self.folder)), link, why) for path, link, why in found if why]

    def why_broken(self, page: Path, link: str) -> str:
        """In a few words; nothing where the link is sound."""
        address, anchor = urldefrag(link)
        path = unquote(urlsplit(address).path)
        target = (page.parent / path).resolve() if path else page
        if target.is_dir():
            target /= "index.html"
        if not target.is_relative_to(self.folder):
            return "is outside the site"
        if not target.exists():
            return "there is no such file"
        if anchor and target in self.pages and unquote(anchor) not in self.pages[target].anchors:
            return "the page has no such anchor"
        return ""

    def elsewhere(self) -> Counter[str]:
        """How many addresses of each other site there are."""
        return Counter(urlsplit(link).netloc for link in {link for _, link in self.links} if urlsplit(link).netloc)


def leads_away(link: str) -> bool:
    """To another site, to a mail program, or into the page itself as data."""
    return bool(urlsplit(link).scheme or urlsplit(link).netloc)


def main(folder: Path) -> int:
    site = Site(folder)
    broken = site.broken()
    for page, link, why in broken:
        print(f"{page}: {link}: {why}", file=sys.stderr)
    inside = sum(not leads_away(link) for _, link in site.links)
    unchecked = ", ".join(f"{name} {number}" for name, number in site.elsewhere().most_common())
    print(f"{len(site.pages)} pages, {inside:,} links within the site, {len(broken)} broken; not tried: {unchecked}")
    return int(bool(broken) or not site.pages)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
