"""The model file: safetensors arrays and one JSON header, described in docs/format.md. Reading it executes nothing."""

from __future__ import annotations

import datetime
import json
import math
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from sonmf import files
from sonmf.text import NotesVectorizer
from sonmf.triage.complaint import ComplaintModel

FORMAT, VERSION = "sonmf-triage", 1
ARRAYS = ("components", "effects", "centre", "scale", "correlation")
PACKAGES = ("sonmf", "numpy", "scipy", "scikit-learn", "numba")


class ModelFileError(ValueError):
    """A model file that cannot be read, with the reason and the remedy in one sentence."""


def save(model: Any, path: Path) -> None:
    """Arrays and header, under a temporary name first."""
    from safetensors.numpy import save_file

    arrays: dict[str, Any] = {}
    for number, one in enumerate(model.models_.values()):
        arrays |= {f"{number}.{name}": np.ascontiguousarray(getattr(one, name), np.float64) for name in ARRAYS}
        arrays[f"{number}.idf"] = one.vectorizer.idf_
    header = {
        "parameters": {name: _plain(value) for name, value in model.get_params(deep=False).items() if name != "vectorizer"},
        "classes": [_plain(value) for value in model.classes_],
        "pooled": model.pooled_,
        "complaints": [_complaint_header(one) for one in model.models_.values()],
        "evaluation": model.evaluation_,
        "created": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "versions": {name: version(name) for name in PACKAGES},
    }
    text = json.dumps(_without_nan(header), allow_nan=False, ensure_ascii=False)
    metadata = {"format": FORMAT, "version": str(VERSION), "header": text}
    files.replace(path, lambda partial: save_file(arrays, partial, metadata))


def load(cls: type, path: Path) -> Any:
    """The model, or a ``ModelFileError``."""
    arrays, metadata = _read(path)
    if metadata.get("format") != FORMAT:
        raise ModelFileError(f"{path} is a safetensors file, but not a model of sonmf: give a file that `sonmf fit` wrote")
    if metadata.get("version") != str(VERSION):
        raise ModelFileError(
            f"{path} has format version {metadata.get('version')}, and this sonmf reads version {VERSION}: update sonmf"
        )
    try:
        header = json.loads(metadata["header"])
        model = cls(**header["parameters"])
        model.classes_ = np.array(header["classes"], object)
        model.pooled_ = dict(header["pooled"])
        found = [_complaint(one, number, arrays) for number, one in enumerate(header["complaints"])]
        model.models_ = {one.name: one for one in found}
        model.evaluation_ = dict(header["evaluation"])
        model.created_, model.versions_ = str(header["created"]), dict(header["versions"])
        model.models_[""], model.classes_[1]  # without these nothing can be forecast
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        raise ModelFileError(
            f"{path} is damaged ({type(error).__name__}: {error}): fit the model again, or copy it again"
        ) from None
    return model


def _read(path: Path) -> tuple[dict[str, Any], dict[str, str]]:
    from safetensors import SafetensorError, safe_open

    if path.is_dir():
        raise ModelFileError(f"{path} is a folder: give the model file in it")
    try:
        with safe_open(path, framework="numpy") as opened:
            return {name: opened.get_tensor(name) for name in opened.keys()}, opened.metadata() or {}  # noqa: SIM118
    except FileNotFoundError:
        raise ModelFileError(f"there is no file {path}: fit a model with `sonmf fit`, or check the name") from None
    except OSError as error:
        raise ModelFileError(f"{path} cannot be read ({error.strerror or error}): check its permissions") from None
    except (SafetensorError, ValueError, UnicodeDecodeError):
        raise ModelFileError(f"{path} is not a model of sonmf, or it is damaged or cut short: fit or copy it again") from None


def _complaint_header(one: ComplaintModel) -> dict[str, Any]:
    parameters = one.vectorizer.get_params()
    return {
        "name": one.name,
        "n_notes": one.n_notes,
        "n_admitted": one.n_admitted,
        "intercept": one.intercept,
        "signals": one.signals,
        "labels": one.labels,
        "vocabulary": one.words,
        "spelling": one.spellings,
        "vectorizer": {name: _plain(value) for name, value in parameters.items()},
        "record": one.record,
    }


def _complaint(header: dict[str, Any], number: int, arrays: dict[str, Any]) -> ComplaintModel:
    found = {name: arrays[f"{number}.{name}"] for name in ARRAYS}
    words, labels = header["vocabulary"], header["labels"]
    k, p = len(labels), len(words)
    expected = {"components": (k, p), "effects": (k,), "centre": (k,), "scale": (k,), "correlation": (k, k)}
    for name, shape in expected.items():
        if found[name].shape != shape:
            raise ValueError(f"array {name} has shape {found[name].shape}, not {shape}")
    return ComplaintModel(
        name=header["name"],
        vectorizer=_vectorizer(header["vectorizer"], words, header["spelling"], arrays[f"{number}.idf"]),
        intercept=float(header["intercept"]),
        n_notes=int(header["n_notes"]),
        n_admitted=int(header["n_admitted"]),
        labels=[str(label) for label in labels],
        signals=[int(topic) for topic in header["signals"]],
        record=header["record"],
        **found,
    )


def _vectorizer(parameters: dict[str, Any], words: list[str], spelling: list[str], idf: Any) -> NotesVectorizer:
    if idf.shape != (len(words),):
        raise ValueError(f"array idf has shape {idf.shape}, not {(len(words),)}")
    vectorizer = NotesVectorizer(**parameters | {"ngram_range": tuple(parameters["ngram_range"])})
    vectorizer.vocabulary_ = {str(word): column for column, word in enumerate(words)}
    vectorizer.idf_ = idf
    vectorizer.spelling_ = dict(zip(words, map(str, spelling), strict=True))
    return vectorizer


def _plain(value: Any) -> Any:
    """What JSON can hold."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, set | frozenset):
        return sorted(value)
    return list(value) if isinstance(value, tuple | np.ndarray) else value


def _without_nan(value: Any) -> Any:
    """JSON has no NaN: null instead."""
    if isinstance(value, dict):
        return {key: _without_nan(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
