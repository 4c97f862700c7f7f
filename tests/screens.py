"""What the browser tests look at: the size of a screen, and names that hardly fit on it."""

DESKTOP, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
LONG = ["Chronic obstructive pulmonary disease with acute exacerbation, on home oxygen", "dehydration/electroencephalography"]
CLIPPED = """() => [...document.querySelectorAll("body *")].filter((one) => {
  const { display, overflowX } = getComputedStyle(one);
  return one.clientWidth && one.scrollWidth > one.clientWidth + 1 && display !== "inline" && overflowX !== "auto"
    && !one.closest("svg, .visually-hidden");
}).map((one) => `${one.tagName} ${one.className} ${one.textContent.trim().slice(0, 60)}`)"""
"""Elements whose text does not fit."""
