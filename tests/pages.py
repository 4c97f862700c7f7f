"""A page that stands alone, as a reader of its source sees it."""

import json
from html.parser import HTMLParser

NAMESPACES = {
    "http://www.w3.org/" + name for name in ("1999/xhtml", "1999/xlink", "2000/svg", "2000/xmlns/", "XML/1998/namespace")
}
BANNER = {"https://d3js.org"}  # in a comment of d3 that names its origin


VOID = {"meta", "br", "hr", "img", "input", "link", "wbr"}


class Page(HTMLParser):
    """Elements in order, each with its attributes and the text in it; code and data are the text of their script alone.

    ``seen`` are those that stand under nothing folded.
    """

    def __init__(self, html):
        super().__init__()
        self.tags = []
        self.open = []
        self.seen = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs), []))
        if not any(tag == "details" and "open" not in attrs for tag, attrs, _ in self.open):
            self.seen.append(self.tags[-1])
        if tag not in VOID:
            self.open.append(self.tags[-1])

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag  # nothing is left open, or closed twice

    def handle_data(self, data):
        alone = self.open and self.open[-1][0] in ("script", "style")
        for _, _, text in self.open[-1:] if alone else self.open:
            text.append(data)

    def all(self, *names):
        return [(attrs, "".join(text)) for tag, attrs, text in self.tags if tag in names]

    @property
    def code(self):
        return [text for attrs, text in self.all("script") if attrs.get("type") != "application/json"]

    @property
    def data(self):
        return [json.loads(text) for attrs, text in self.all("script") if attrs.get("type") == "application/json"]

    @property
    def text(self):
        ((_, body),) = self.all("body")
        return " ".join(body.split())
