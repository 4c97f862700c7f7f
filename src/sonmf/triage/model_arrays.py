"""The arrays of a complaint in a model file: finite, of the right shape, and within what a fit can produce."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from sonmf.triage import lasso, stored_columns
from sonmf.triage.columns import TEXT
from sonmf.triage.factorisations import METHODS
from sonmf.triage.strict_json import require
from sonmf.types import Array

if TYPE_CHECKING:
    from sonmf.triage.complaint import ComplaintModel
    from sonmf.triage.model_header import ComplaintHeader

NAMES = ("components", "effects", "centre", "scale", "correlation", "idf")
LARGEST = 1e30  # no number of a fit comes near; sums of products stay finite
SMALLEST = float(np.finfo(np.float64).tiny)  # what is closer to zero is written as zero
TOLERANCE = 1e-8  # of what is exact but for rounding


def of_model(model: ComplaintModel) -> dict[str, Array]:
    """The arrays of a complaint to be written."""
    found = {name: getattr(model, name) for name in NAMES if name != "idf"} | {"idf": model.vectorizer.idf_}
    found |= stored_columns.arrays(model.columns)
    return {name: without_subnormal(array) for name, array in found.items()}


def without_subnormal(array: Array) -> Array:
    """Numbers so close to zero that they have lost digits become zero; multiplicative updates leave some."""
    return np.where(np.abs(array) < SMALLEST, 0.0, array)


def of_version_1(arrays: Mapping[str, Array]) -> dict[str, Array]:
    """As version 2 would have written them: constant topics had the scale infinity, or what rounding had made of 0."""
    scale = arrays["scale"]
    found = {name: without_subnormal(array) if name == "components" else array for name, array in arrays.items()}
    return found | {"scale": lasso.without_rounding(np.where(scale == np.inf, 0.0, scale))}


def check(arrays: Mapping[str, Array], header: ComplaintHeader, method: str) -> None:
    """A ``ValueError`` unless a fit by this method could have produced these arrays.

    Parameters
    ----------
    arrays : mapping of str to ndarray
        Those of ``NAMES``, and those of columns of text.
    header : ComplaintHeader
    method : str
        One of ``METHODS``.
    """
    k, p = len(header["labels"]), len(header["vocabulary"])
    shapes = {"components": (k, p), "correlation": (k, k), "idf": (p,)}
    for place, one in enumerate(header["columns"]):
        if one["kind"] == TEXT:
            here, words = f"column{place}", len(one["vocabulary"])
            shapes |= {f"{here}.components": (len(one["centre"]), words), f"{here}.idf": (words,)}
    for name, array in arrays.items():
        _check_numbers(name, array, shapes.get(name, (k,)))
    require(abs(header["intercept"]) <= LARGEST, "the intercept is too large")
    _check_components(arrays["components"], method)
    _check_idf(arrays["idf"], header["n_notes"])
    _check_spread(arrays["scale"], arrays["correlation"])
    for name in shapes.keys() - set(NAMES):
        if name.endswith("components"):
            _check_components(arrays[name], "sonmf")
        else:
            _check_idf(arrays[name], header["n_notes"])


def _check_numbers(name: str, array: Array, shape: tuple[int, ...]) -> None:
    require(array.dtype == np.float64, f"array {name} is not of float64")
    require(array.shape == shape, f"array {name} has shape {array.shape}, not {shape}")
    size = np.abs(array)
    require(size.max() <= LARGEST, f"array {name} has a number that is not finite, or too large")  # NaN compares false
    require(not ((size > 0) & (size < SMALLEST)).any(), f"array {name} has a subnormal number")


def _check_components(F: Array, method: str) -> None:
    """What the method promises of its topics, one a row."""
    promise = METHODS[method].promise
    if promise == "orthonormal":
        off = np.abs(F @ F.T - np.eye(len(F))).max()
        require(off <= TOLERANCE, "the topics are not orthonormal")
    if promise == "non-negative":
        require(F.min() >= 0, "a topic has a negative weight")


def _check_idf(idf: Array, notes: int) -> None:
    """idf = log2(notes / df) of a whole number df, from 1 to the number of notes."""
    require(idf.min() >= 0, "array idf has a negative number")
    df = notes * np.exp2(-idf)
    whole = np.round(df)
    require(whole.min() >= 1 and (np.abs(df - whole) <= TOLERANCE * whole).all(), "array idf belongs to other notes")


def _check_spread(scale: Array, correlation: Array) -> None:
    """Standard deviations are not negative; a topic correlates with itself by 1, or by 0 where it is constant."""
    require(scale.min() >= 0, "array scale has a negative number")
    require(np.abs(correlation - correlation.T).max() <= TOLERANCE, "array correlation is not symmetric")
    require(np.abs(correlation).max() <= 1 + TOLERANCE, "array correlation has a number beyond 1")
    require(np.abs(np.diag(correlation) - (scale > 0)).max() <= TOLERANCE, "arrays scale and correlation do not agree")
