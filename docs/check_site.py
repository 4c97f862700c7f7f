"""The built pages as a browser shows them: ``python docs/check_site.py docs/_build/html``.

Serves the pages on this machine and opens each one as a phone does, 390 pixels wide, and as a computer does, 1280 pixels wide,
with every other address out of reach. It prints, a line each: errors of the console, requests to other sites, pages that scroll
sideways, code and tables that scroll sideways on a computer, options whose two hyphens have become a dash, formulas that are
drawn in another font than the one in ``_static/math``, and a search that finds nothing. Exits with 1 where there are any. Where
there is no Chromium it says so and exits with 0.
"""

from __future__ import annotations

import functools
import os
import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from check_links import pages

NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
PHONE, DESKTOP = {"width": 390, "height": 844}, {"width": 1280, "height": 800}
FONT = "STIX Two Math"
SEARCHED = {"orthonormal": "", "calibration": "", "SONMF": "api/generated/sonmf.SONMF.html"}  # words, and a page to be found
SIDEWAYS = """() => {
  const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  if (wide <= 0) return "";
  const widest = [...document.querySelectorAll("main *")].find((one) => one.getBoundingClientRect().right > innerWidth + 1);
  return `scrolls ${wide} pixels sideways: ${widest ? widest.outerHTML.slice(0, 80) : "the frame"}`;
}"""

CUT = """() => [...document.querySelectorAll("main pre, main .pst-scrollable-table-container")]
  .filter((one) => one.scrollWidth > one.clientWidth)
  .map((one) => one.innerText.split("\\n").toSorted((a, b) => b.length - a.length)[0].slice(0, 100))"""

DASHED = r"""() => [...document.querySelector("main").innerText.matchAll(/.*(?<!\S)\u2013[a-z].*/g)].map((one) => one[0])"""


class Quiet(SimpleHTTPRequestHandler):
    """Serves files, and prints no line for each."""

    def log_message(self, *words: object) -> None:
        pass


class Server(ThreadingHTTPServer):
    """Does not report a browser that leaves a page before all of it has come."""

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of the pages while they are served."""
    with Server(("127.0.0.1", 0), functools.partial(Quiet, directory=folder)) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


class Reader:
    """A browser that writes down what goes wrong on the pages it opens."""

    def __init__(self, browser: Any, address: str, screen: dict[str, int]) -> None:
        self.address, self.problems = address, []
        self.width = screen["width"]
        context = browser.new_context(viewport=screen)
        context.route(lambda url: not url.startswith(address), self._refuse)
        self.page = context.new_page()
        self.page.on("console", lambda said: said.type in ("error", "warning") and self.note(said.text))
        self.page.on("pageerror", lambda error: self.note(str(error)))
        self.name = ""

    def note(self, problem: str) -> None:
        self.problems.append(f"{self.name} at {self.width} pixels: {problem}")

    def _refuse(self, route: Any) -> None:
        self.note(f"asks another site for {route.request.url}")
        route.abort()

    def open(self, name: str) -> None:
        """A page of the site: errors and width."""
        self.name = name
        self.page.goto(f"{self.address}/{name}")
        if sideways := self.page.evaluate(SIDEWAYS):
            self.note(sideways)

    def check_code(self) -> None:
        """Each block of code of the open page shows its lines whole, and each table its columns."""
        for line in self.page.evaluate(CUT):
            self.note(f"code or a table scrolls sideways: {line}")

    def check_options(self) -> None:
        """An option of a command can be copied from the open page."""
        for line in self.page.evaluate(DASHED):
            self.note(f"an option with a dash: {line}")

    def check_formulas(self) -> int:
        """The fonts of the formulas of the open page; returns the number of formulas."""
        session = self.page.context.new_cdp_session(self.page)
        self.page.evaluate("() => document.fonts.ready")
        session.send("DOM.enable")
        session.send("CSS.enable")
        root = session.send("DOM.getDocument")["root"]["nodeId"]
        formulas = session.send("DOM.querySelectorAll", {"nodeId": root, "selector": "math"})["nodeIds"]
        for node in formulas:
            fonts = session.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]
            if others := {font["familyName"] for font in fonts} - {FONT}:
                text = self.page.evaluate("(n) => document.querySelectorAll('math')[n].textContent", formulas.index(node))
                self.note(f"the formula {text.strip()!r} is drawn in {', '.join(sorted(others))}")
        session.detach()
        return len(formulas)

    def search(self, words: str, found: str) -> None:
        """Words that the pages are known to have."""
        self.name = f"search.html?q={words}"
        self.page.goto(f"{self.address}/{self.name}")
        links = self.page.locator("#search-results ul.search a")
        try:
            links.first.wait_for(timeout=20_000)
        except Exception:  # whatever kept the results away, there are none
            self.note("nothing is found")
            return
        if found and not any(found in (link.get_attribute("href") or "") for link in links.all()):
            self.note(f"{found} is not found")


def main(folder: Path) -> int:
    if CHROMIUM is None:
        print("the pages were not opened in a browser: there is no chromium here (CHROMIUM names another one)")
        return 0
    from playwright.sync_api import sync_playwright

    names = [str(page.relative_to(folder)) for page in pages(folder)]
    with served(folder) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        phone, desktop = Reader(browser, address, PHONE), Reader(browser, address, DESKTOP)
        formulas = 0
        for name in names:
            phone.open(name)
            formulas += phone.check_formulas() if "<math" in (folder / name).read_text(encoding="utf-8") else 0
            desktop.open(name)
            desktop.check_code()
            desktop.check_options()
        for words, found in SEARCHED.items():
            desktop.search(words, found)
        browser.close()
    problems = phone.problems + desktop.problems
    print(*dict.fromkeys(problems), sep="\n", end="\n" if problems else "", file=sys.stderr)
    opened = f"{len(names)} pages opened at {PHONE['width']} and {DESKTOP['width']} pixels"
    opened += f", {formulas:,} formulas, {len(SEARCHED)} searches"
    print(f"{opened}: {len(problems)} problems")
    return int(bool(problems) or not names)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
