"""The report as one HTML file: it runs only its own scripts, and asks nobody for anything."""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, wraps
from importlib import resources
from pathlib import Path
from typing import Any, TypeGuard

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

import sonmf
from sonmf import files
from sonmf.beds import Outlook
from sonmf.beds.clock import WEEKDAYS, in_words
from sonmf.datasets import COMPLAINTS, make_triage_notes
from sonmf.triage import ComplaintModel, model_report
from sonmf.triage.columns import NUMBER
from sonmf.triage.evaluation import FIGURES
from sonmf.triage.measures import FALSE_ALARMS
from sonmf.triage.model_report import INPUTS
from sonmf.triage.records import TITLES as NAMES

SCRIPTS = ("vendor/d3.min.js", "vendor/plot.umd.min.js", "charts.js", "report.js")
STYLES = ("style.css", "report.css")
LICENCES = {"d3": "vendor/d3.LICENSE.txt", "Observable Plot": "vendor/plot.LICENSE.txt"}
PIVOTS = ("accuracy", "auroc")
GENERATED = 2000  # notes to take typical ones from
STRONGEST = 12  # topics in the chart of effects
SHOWN = 3  # topics that raise the odds, as many that lower them, and columns, without unfolding anything
MISSING, MINUS = "\N{EN DASH}", "\N{MINUS SIGN}"

Notes = Mapping[str, Sequence[str]]


def write_report(model: Any, path: str | Path, notes: Notes | None = None) -> None:
    """``report_html`` in a file, which is whole or not there.

    Parameters
    ----------
    model : TriageModel
    path : str or Path
    notes : mapping of str to sequence of str, optional
        As for ``report_html``.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from sonmf.datasets import make_triage_notes
    >>> from sonmf.triage import TriageModel
    >>> from sonmf.web.rendering import write_report
    >>> notes = make_triage_notes(400, complaints=["Fever"], random_state=0)
    >>> model = TriageModel(n_topics=5).fit(notes["note"], notes["disposition"])
    >>> with TemporaryDirectory() as folder:
    ...     write_report(model, Path(folder, "report.html"))
    ...     Path(folder, "report.html").stat().st_size < 5_000_000
    True
    """
    page = report_html(model, notes)
    files.replace(Path(path), lambda partial: partial.write_text(page, "utf-8"))


def report_html(model: Any, notes: Notes | None = None) -> str:
    """What there is to see in a model, as a page with everything it needs inside.

    Parameters
    ----------
    model : TriageModel
    notes : mapping of str to sequence of str, optional
        Notes by complaint, all of them under the empty name, to take typical ones from; the page then says that it contains
        notes of patients. By default typical notes are generated for the complaints that can be, and marked so.

    Returns
    -------
    str

    Examples
    --------
    >>> from sonmf.datasets import make_triage_notes
    >>> from sonmf.triage import TriageModel
    >>> from sonmf.web.rendering import report_html
    >>> notes = make_triage_notes(400, complaints=["Fever"], random_state=0)
    >>> model = TriageModel(n_topics=5).fit(notes["note"], notes["disposition"])
    >>> "Model card" in report_html(model)
    True
    """
    typical = generated_notes(model) if notes is None else notes
    evaluations = model_report.evaluations(model)
    complaints = [
        complaint_of_report(model, one, evaluations, typical.get(one.name, ())) for one in model_report.ordered(model)
    ]
    page = environment().get_template("report.html")
    return page.render(
        judged(model, evaluations, complaints[-1]),
        complaints=complaints,
        generated=notes is None and bool(typical),
        patients=bool(notes),
        **of_a_file(),
    )


def write_beds(found: Outlook, path: str | Path) -> None:
    """Beds by the hour as a file of their own, which is whole or not there."""
    page = environment().get_template("beds_file.html").render(beds=found.as_json(), **of_a_file())
    files.replace(Path(path), lambda partial: partial.write_text(page, "utf-8"))


def beds_html(found: Outlook) -> str:
    """The same as a piece of a page."""
    return environment().get_template("_beds.html").render(beds=found.as_json())


def of_a_file() -> dict[str, Any]:
    """What every page needs that stands alone: scripts and style inside it, and a policy that lets nothing else in."""
    scripts, style = [asset(name) for name in SCRIPTS], "".join(asset(name) for name in STYLES)
    return {
        "policy": policy(scripts, style),
        "scripts": [Markup(script) for script in scripts],
        "style": Markup(style),
        "licences": {name: asset(path) for name, path in LICENCES.items()},
        "version": sonmf.__version__,
    }


def complaint_of_report(
    model: Any, one: ComplaintModel, evaluations: Sequence[Mapping[str, Any]], notes: Sequence[str] = ()
) -> dict[str, Any]:
    """What the templates tell of one complaint; the evaluations are those of ``report``."""
    found = model_report.complaint(one, notes)
    drawn = curves(found, same_patients(evaluations), model.method)
    return found | by_direction(found["topics"]) | {"strongest": strongest(found["topics"]), "curves": drawn}


def judged(model: Any, evaluations: Sequence[Mapping[str, Any]], everyone: Mapping[str, Any]) -> dict[str, Any]:
    """What they tell of the model as a whole: its card, how well it serves everyone, and how its methods were judged."""
    compared = [{**one, "pivots": [pivot(one["rows"], name) for name in PIVOTS]} for one in evaluations]
    return {"card": model_report.card(model), "everyone": everyone, "pooled": model.pooled_, "evaluations": compared}


def generated_notes(model: Any) -> dict[str, list[str]]:
    """Generated notes for the complaints that can be generated, always the same; for all complaints if that is all of them."""
    served = set(model.models_)
    known = sorted(served & COMPLAINTS.keys())
    if not known:
        return {}
    frame = make_triage_notes(GENERATED, complaints=known, random_state=0)
    by_complaint = {name: list(group) for name, group in frame.groupby("complaint")["note"]}
    return by_complaint | ({"": list(frame["note"])} if served == set(known) else {})


def by_direction(topics: Sequence[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    """The topics that raise the odds and those that lower them, each with the largest effect first; given from up to down."""
    return {
        "raising": [one for one in topics if one["strength"] > 0],
        "lowering": [one for one in reversed(topics) if one["strength"] < 0],
    }


def strongest(topics: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The topics with the largest effects, from the one that raises the odds most to the one that lowers them most."""
    largest = sorted((one for one in topics if one["strength"]), key=lambda one: -abs(one["strength"]))[:STRONGEST]
    ordered = sorted(largest, key=lambda one: -one["strength"])
    return [{"number": one["number"], "name": one["name"], "value": one["strength"]} for one in ordered]


def same_patients(evaluations: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The latest evaluation of the patients that the model was fitted on: only its curves stand beside those of the model."""
    return next((one for one in reversed(evaluations) if one["same_patients"]), None)


def curves(one: Mapping[str, Any], evaluation: Mapping[str, Any] | None, method: str) -> list[dict[str, Any]]:
    """ROC and calibration of a complaint's model, then of each evaluated method at the number of topics that suits it best.

    ``own`` are the model itself and the evaluation of its method. All methods are compared with the same inputs.
    """
    first = {"title": "this model", "own": True, "points": one["roc"], "bins": one["calibration"]["reliability"]}
    rows = _comparable(evaluation["rows"], one["name"]) if evaluation else []
    best = {row["method"]: row["n_topics"] for row in sorted(rows, key=lambda row: row.get("auroc", 0.0))}
    chosen = _comparable(evaluation["curves"], one["name"]) if evaluation else []
    return [first, *(_curve(curve, method) for curve in chosen if best[curve["method"]] == curve["n_topics"])]


def _comparable(rows: Sequence[Mapping[str, Any]], complaint: str) -> list[Mapping[str, Any]]:
    """Those of a complaint with the inputs that every method was judged with: all there are."""
    mine = [row for row in rows if row["complaint"] == complaint]
    inputs = max((row["inputs"] for row in mine), key=INPUTS.index, default=None)
    return [row for row in mine if row["inputs"] == inputs]


def _curve(found: Mapping[str, Any], method: str) -> dict[str, Any]:
    topics = f", {found['n_topics']} topics" if found["n_topics"] else ""
    points = [{"false": float(f), "true": t} for f, t in zip(FALSE_ALARMS, found["roc"], strict=True)]
    title = f"{found['title']}{topics}"
    return {"title": title, "own": found["method"] == method, "points": points, "bins": found["reliability"]}


def pivot(rows: Sequence[Mapping[str, Any]], name: str) -> dict[str, Any]:
    """One figure as the paper prints it: complaints, inputs and numbers of topics down, methods across.

    Words have no number of topics: they are in every row of their inputs.
    """
    methods = {row["method"]: row["title"] for row in rows}
    groups = sorted({(row["complaint"], INPUTS.index(row["inputs"])) for row in rows})
    found = []
    for complaint, inputs in groups:
        mine = [row for row in rows if (row["complaint"], INPUTS.index(row["inputs"])) == (complaint, inputs)]
        cells = {(row["n_topics"], row["method"]): _moments(row, name) for row in mine}
        for k in sorted({row["n_topics"] for row in mine if row["n_topics"]}) or [0]:
            shown = [cells.get((k, method)) or cells.get((0, method)) for method in methods]
            found.append({"complaint": complaint, "inputs": INPUTS[inputs], "n_topics": k, "cells": shown})
    return {"title": capital(FIGURES[name]), "methods": list(methods.values()), "rows": found}


def _moments(row: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {"mean": row.get(name), "error": row.get(f"{name}_error")}


def policy(scripts: Iterable[str], style: str) -> str:
    """The Content-Security-Policy that lets these texts run and nothing else happen."""
    allowed = {
        "default-src": "'none'",
        "script-src": " ".join(map(fingerprint, scripts)),
        "style-src": fingerprint(style),
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in allowed.items())


def fingerprint(text: str) -> str:
    """An inline script or style as a policy names it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@cache
def environment() -> Environment:
    """Jinja for the templates of this package: everything escaped, an unknown name is an error, and filters give lists."""
    loader = PackageLoader("sonmf.web")
    made = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    made.filters |= {
        one.__name__: one
        for one in (percent, figure, short, signed, rounded, thousands, capital, named, bars, values, in_words)
    }
    made.globals |= {"FIGURES": FIGURES, "MEASURES": list(NAMES), "SHOWN": SHOWN, "WEEKDAYS": WEEKDAYS}
    made.filters = {name: lasting(found) for name, found in made.filters.items()}
    made.policies["json.dumps_kwargs"] = {"allow_nan": False, "separators": (",", ":")}
    return made


def lasting(found: Callable[..., Any]) -> Callable[..., Any]:
    """A filter with a list where it gave an iterator: what ``map`` gives is empty when a template reads it twice."""

    @wraps(found)  # Jinja's own marks on the function too
    def listing(*arguments: Any, **named: Any) -> Any:
        result = found(*arguments, **named)
        return list(result) if isinstance(result, Iterator) else result

    return listing


@cache
def asset(name: str) -> str:
    """The text of a file under ``static``."""
    return resources.files("sonmf.web").joinpath("static", name).read_text("utf-8")


def _known(value: float | None) -> TypeGuard[float]:
    return value is not None and math.isfinite(value)


def percent(value: float | None, digits: int = 1) -> str:
    """0.318 as 31.8%; a dash where there is no figure."""
    return f"{value:.{digits}%}" if _known(value) else MISSING


def figure(value: float | None, digits: int = 3) -> str:
    """With so many decimals; a dash where there is no figure."""
    return f"{value:z.{digits}f}".replace("-", MINUS) if _known(value) else MISSING


def short(value: float | None, digits: int = 4) -> str:
    """With so many significant digits; a dash where there is no figure."""
    return f"{value:.{digits}g}" if _known(value) else MISSING


def bars(rows: Iterable[Mapping[str, Any]], name: str) -> list[dict[str, Any]]:
    """Rows of an effect as a chart of bars takes them."""
    return [{"name": row[name], "value": round(row["effect"], 4)} for row in rows]


def values(column: Mapping[str, Any]) -> str:
    """What a column can be, in a cell of a table."""
    if column["kind"] == NUMBER:
        return f"{short(column['low'])} to {short(column['high'])} {column['unit']}".strip()
    return ", ".join(row["level"] for row in column["levels"]) if column["levels"] else "text"


def signed(value: float) -> str:
    """With its sign and three decimals."""
    return f"{value:+.3f}".replace("-", MINUS)


def rounded(words: Iterable[tuple[str, float]]) -> list[list[Any]]:
    """Words with as much of their weights as can be seen in a chart: there are thousands of them."""
    return [[word, round(weight, 4)] for word, weight in words]


def thousands(value: int) -> str:
    """12345 as 12,345."""
    return f"{value:,}"


def named(topic: str) -> Markup:
    """A topic's name, in which a line may end after the slash between its words."""
    return Markup("/<wbr>").join(topic.split("/"))


def capital(text: str) -> str:
    """The first letter only: AUROC stays."""
    return text[:1].upper() + text[1:]
