"""The pictures of README.md and the guides, taken anew: ``python docs/take_pictures.py [NAME...]``, ten minutes for all.

Runs what the guides tell the reader to run, on generated patients in a temporary folder. Needs Chromium.
The file benchmarks.png is written by ``make bench``; pictures drawn by matplotlib are drawn when the pages are built.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from check_site import CHROMIUM

IMAGES = Path(__file__).parent / "images"
NOTE = "78yo F sob x3d, hx chf, bilat leg edema, sleeping in recliner, crackles at bases, sat 90% RA. Denies fever."
COLUMNS = {"age": "78", "heart_rate": "96", "respiratory_rate": "22", "saturation": "90"}
PATIENTS = """
from sonmf.datasets import make_triage_notes
patients = make_triage_notes(9000, details=True, first_day="2024-01-01", random_state=1)
patients[:4000].to_csv("past.csv", index=False)
patients[4000:].to_csv("patients.csv", index=False)
"""


PYTHON = sys.executable
SONMF = str(Path(sys.executable).with_name("sonmf"))


def run(folder: Path, *command: str) -> None:
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)


@contextmanager
def page(address: str, width: int, height: int) -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        opened = browser.new_page(viewport={"width": width, "height": height}, reduced_motion="reduce")
        opened.goto(address)
        yield opened
        browser.close()


def topics(folder: Path, image: Path) -> None:
    """Those of docs/guide/ten_minutes.md."""
    import matplotlib as mpl

    mpl.use("Agg")
    from sonmf import SONMF, plot
    from sonmf.datasets import make_triage_notes
    from sonmf.text import NotesVectorizer

    notes = make_triage_notes(3000, complaints=["Shortness of Breath"], random_state=0)["note"]
    vectorizer = NotesVectorizer(negation="mark", stem=False)
    X = vectorizer.fit_transform(notes)
    model = SONMF(n_components=7, n_init=4, random_state=0).fit(X)
    axes = plot.topics(model, vectorizer.get_feature_names_out(), n=5, X=X, which=[0, 3, 4, 6])
    axes[0].figure.savefig(image, dpi=110)


def demo(folder: Path) -> Path:
    """The folder of the demo, made once."""
    if not (folder / "sonmf-demo").exists():
        run(folder, SONMF, "demo")
    return folder / "sonmf-demo"


def score(folder: Path, image: Path) -> None:
    command = [SONMF, "serve", str(demo(folder) / "model.sonmf"), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            address = next(word for word in server.stdout.readline().split() if word.startswith("http://"))
            with page(f"{address}score", 1280, 900) as opened:
                opened.get_by_label("Complaint").select_option(label="Shortness of Breath")
                for name, value in COLUMNS.items():
                    opened.locator(f"#given [data-column={name}]").fill(value)
                opened.get_by_label("Triage note").fill(NOTE)
                opened.locator("#contributions svg").first.wait_for()
                opened.screenshot(path=image, full_page=True)
        finally:
            server.terminate()


def monitor(folder: Path, image: Path) -> None:
    written = next((demo(folder) / "monitoring").glob("*.html"))
    with page(written.as_uri(), 960, 1000) as opened:
        opened.locator("main section.sheet").nth(1).wait_for()
        opened.screenshot(path=image)


def beds(folder: Path, image: Path) -> None:
    """The commands of docs/guide/beds.md."""
    run(folder, PYTHON, "-c", PATIENTS)
    run(folder, SONMF, "fit", "past.csv", "--column", "age", "--topics", "20", "-o", "model.sonmf")
    run(folder, SONMF, "beds", "model.sonmf", "patients.csv", "--until", "departure", "--by", "ward", "--out", "beds")
    with page((folder / "beds" / "beds.html").as_uri(), 1100, 1010) as opened:
        opened.locator("svg").first.wait_for()
        opened.screenshot(path=image)


PICTURES: dict[str, Callable[[Path, Path], None]] = {
    "topics": topics,
    "serve-score": score,
    "monitor": monitor,
    "beds": beds,
}

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        for name in sys.argv[1:] or PICTURES:
            PICTURES[name](Path(folder), IMAGES / f"{name}.png")
            print(f"docs/images/{name}.png")
