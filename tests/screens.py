"""What the browser tests share: the size of a screen, names that hardly fit on it, what a person does on several pages."""

import pandas as pd
from emergency import department
from wards import ward

from sonmf.triage.labels import signed

DESKTOP, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
LONG = ["Chronic obstructive pulmonary disease with acute exacerbation, on home oxygen", "dehydration/electroencephalography"]
CLIPPED = """() => [...document.querySelectorAll("body *")].filter((one) => {
  const { display, overflowX } = getComputedStyle(one);
  return one.clientWidth && one.scrollWidth > one.clientWidth + 1 && display !== "inline" && overflowX !== "auto"
    && !one.closest("svg, .visually-hidden");
}).map((one) => `${one.tagName} ${one.className} ${one.textContent.trim().slice(0, 60)}`)"""
"""Elements whose text does not fit."""


def type_note(page, note, complaint="Cough"):
    page.goto("/score")
    page.select_option("#complaint", complaint)
    page.fill("#note", note)
    page.wait_for_selector("#contributions svg")


def amount(value):
    return signed(value, 2).replace("-", "\N{MINUS SIGN}")


def department_file(path, **names):
    """Three weeks of patients with times."""
    found = department(3, a_day=12)
    notes, dispositions, complaints = ward(len(found.arrival))
    times = {"arrival": found.arrival, "gone": found.departure, "ward": found.group}
    table = pd.DataFrame({"note": notes, "complaint": complaints, "disposition": dispositions} | times)
    table.rename(columns=names).to_csv(path, index=False)
