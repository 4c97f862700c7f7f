"""What holds for every page, in a browser: it fits on a screen, and everyone can use it."""

import pytest
from screens import DESKTOP, PHONE, department_file, type_note

PAGES = ["/", "/score", "/list", "/beds", "/quality"]


def test_the_complaint_stays_chosen(page):
    page.goto("/")
    page.select_option("#complaint", "")
    page.wait_for_selector("#facts:has-text('All complaints')")
    page.click("text=How good is it")
    page.wait_for_selector("#quality h2:has-text('All complaints')")


@pytest.mark.parametrize("path", PAGES)
def test_pages_fit_and_are_accessible(page, check_accessible, path, tmp_path):
    fill(page, path, tmp_path)
    for size in (DESKTOP, PHONE):
        page.set_viewport_size(size)
        page.wait_for_function(DRAWN)
        tops = page.eval_on_selector_all("header nav a", "all => all.map((one) => Math.round(one.getBoundingClientRect().top))")
        assert len(set(tops)) == 1, "the names of the pages stand on one line"
        assert page.evaluate(NOT_SEEN, "header nav a") == []
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
        check_accessible(page)


NOT_SEEN = """(links) => [...document.querySelectorAll(links)].filter((one) => {
  const inner = one.getBoundingClientRect(), outer = one.parentElement.getBoundingClientRect();
  return inner.left < outer.left - 1 || inner.right > outer.right + 1;
}).map((one) => one.innerText)"""
"""What can only be seen after scrolling sideways."""
DRAWN = """() => [...document.querySelectorAll(".chart")].every((one) => !one.clientWidth ||
  [...one.querySelectorAll("svg")].every((svg) => svg.getBoundingClientRect().width <= one.clientWidth + 1))"""
"""Every chart has been drawn again for the width that it has now."""


def fill(page, path, folder):
    """Bring a page to where it shows everything it can."""
    if path == "/score":
        type_note(page, "syncope ankle zebra " + "longword" * 40)
    elif path == "/list":
        (folder / "in.csv").write_text("note,complaint\nsyncope,Cough\nzebra,Nowhere\n" + "longword" * 40 + ",Cough\n")
        page.goto(path)
        page.set_input_files("#file", folder / "in.csv")
        page.wait_for_selector("#rows tr", state="visible")
    elif path == "/beds":
        department_file(folder / "ed.csv")
        page.goto(path)
        page.click("#columns summary")
        page.set_input_files("#file", folder / "ed.csv")
        page.wait_for_selector("#drawn svg")
        page.select_option("#by", "ward")
        page.wait_for_selector("#beds-groups")
        for summary in page.locator("#drawn summary").all():
            summary.click()
        page.wait_for_load_state("networkidle")
    else:
        page.goto(f"{path}?complaint=Cough")
        page.wait_for_selector("main svg")
        page.wait_for_load_state("networkidle")
