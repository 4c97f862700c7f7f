"""Charts, drawn alone: axes that can be read, and nothing that looks like more than it is."""

from itertools import pairwise

import pytest

DRAW = """async ([file, name, data, width]) => {
  const drawing = (await import(`/static/charts/${file}.js`))[name];
  const box = document.createElement("div");
  document.body.append(box);
  drawing(box, data, width ?? 400);
  const marks = (label, part) => [...box.querySelectorAll(`[aria-label="${label}"] ${part}`)];
  return {
    ticks: marks("x-axis tick label", "text").map((one) => one.textContent),
    ends: marks("x-axis tick label", "text").map((one) => one.getBoundingClientRect()).map(({ left, right }) => [left, right]),
    heights: marks("y-axis tick label", "text").map((one) => Number(one.textContent.replace("%", "e-2"))),
    dots: marks("dot", "circle").map((one) => Number(one.getAttribute("cx"))),
    bars: marks("bar", "rect").map((one) => Number(one.getAttribute("width"))),
    legend: [...box.querySelectorAll(".legend > span")].map((one) => one.textContent),
  };
}"""


def test_a_column_with_a_long_tail_shows_where_most_patients_are(page):
    page.goto("/quality")
    curve = [{"value": value, "effect": effect} for value, effect in ((0, 0.1), (3, -0.1), (1826, 0.2))]
    bins = [{"value": value, "effect": 0, "n": 100, "admitted": 0.3} for value in (0, 1, 3, 5, 7, 60)]
    column = {"curve": curve, "bins": bins, "base": 0.3, "name": "days", "unit": ""}
    drawn = page.evaluate(DRAW, ["columns", "effectOfNumber", column])
    assert drawn["ticks"] == ["0", "1", "10", "100", "1,000"]
    assert drawn["dots"][4] - drawn["dots"][0] > 80  # of 400 pixels, for 7 of 1826 days
    even = column | {"curve": [{"value": 0, "effect": 0.1}, {"value": 90, "effect": 0.2}]}
    assert page.evaluate(DRAW, ["columns", "effectOfNumber", even])["ticks"] == ["0", "20", "40", "60", "80"]


def test_effects_of_nearly_nothing_have_bars_of_nearly_nothing(page):
    page.goto("/quality")
    sides = {scale: [{"name": "F", "value": scale}, {"name": "M", "value": -scale / 2}] for scale in (0.002, 2)}
    faint, strong = (page.evaluate(DRAW, ["topics", "contributions", rows]) for rows in sides.values())
    assert max(faint["bars"]) < 5 < 100 < max(strong["bars"])
    assert strong["legend"] == ["adds to the log-odds", "takes from them"]


@pytest.mark.parametrize("strongest", [0.04, 0.6, 0.9])
@pytest.mark.parametrize("width", [190, 300, 800])
def test_the_scale_of_words_can_be_read_in_a_narrow_card(page, width, strongest):
    page.goto("/quality")
    words = [{"name": "shortness", "value": strongest}, {"name": "no palpitations", "value": -strongest / 8}]
    drawn = page.evaluate(
        DRAW, ["topics", "topicBars", {"positive": words[:1], "negative": words[1:], "unit": "correlation"}, width]
    )
    ticks = [(text, *ends) for text, ends in zip(drawn["ticks"], drawn["ends"], strict=True)]
    assert all(right < left for (_, _, right), (_, left, _) in pairwise(ticks))
    assert "0" in [text for text, _, _ in ticks]
    assert 0 < float(ticks[-1][0]) <= strongest


@pytest.mark.parametrize("most", [0.07, 7, 24, 26, 181])
def test_the_scale_ends_above_what_is_drawn(page, most):
    page.goto("/quality")
    line = {"expected": most / 2, "low": 0, "high": most, "present": most / 3, "arriving": most / 6}
    lines = [line | {"hours": hours, "until": f"2024-03-15T{hours:02}:00"} for hours in (1, 2, 3)]
    share = most / 200
    drawings = [
        ("beds", "bedsByHour", {"lines": lines, "level": 0.9}, most),
        ("beds", "observedByHour", [{"hour": hour, "observed": most, "expected": 0} for hour in (1, 2)], most),
        ("together", "months", [{"month": f"2024-0{month}", "share": share / month} for month in (1, 2)], share),
    ]
    for file, name, data, highest in drawings:
        assert max(page.evaluate(DRAW, [file, name, data])["heights"]) >= highest, name
