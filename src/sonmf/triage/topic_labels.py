"""Names that people give to topics, kept in a small JSON file beside the model: {complaint: {topic number: name}}."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sonmf import files
from sonmf.triage import strict_json

LONGEST = 80  # characters of a name
LARGEST = 10_000_000  # bytes of the file


def labels_path(model: Path) -> Path:
    """Where the names of a model's topics are kept."""
    return model.with_name(f"{model.name}.labels.json")


def apply(model: Any, path: Path) -> None:
    """Give the topics of a loaded model the names beside it; names for topics it does not have are passed over."""
    for key, named in read_labels(path).items():
        one = model.by_name_.get(key)
        for number, name in named.items():
            if one is not None and int(number) < one.n_topics:
                one.labels[int(number)] = name


def read_labels(model: Path) -> dict[str, dict[str, str]]:
    """Names by complaint and topic, beside a model file; none where there is no file of names."""
    path = labels_path(model)
    try:
        with path.open("rb") as file:
            text = file.read(LARGEST + 1)
        strict_json.require(len(text) <= LARGEST, "it is too large")
        names: dict[str, dict[str, str]] = strict_json.validate({str: {str: str}}, strict_json.loads(text.decode()), "it")
        for number, name in (item for named in names.values() for item in named.items()):
            strict_json.require(number.isascii() and number.isdigit() and len(number) < 9, "a topic has no number")
            strict_json.require(len(name) <= LONGEST, f"a name has more than {LONGEST} characters")
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise ValueError(f"{path} cannot be read ({error}): repair or remove it, it holds only names of topics") from None
    return names


def rename(model: Any, path: Path, complaint: str, topic: int, name: str) -> None:
    """Name a topic, in the model and beside its file; an empty name takes the name away.

    Characters that cannot be seen, such as those that steer a terminal, become spaces.
    """
    one = model.named_model(complaint)
    if not 0 <= topic < one.n_topics:
        raise ValueError(f"there is no topic {topic}: {complaint or 'the pooled model'} has topics 0 to {one.n_topics - 1}")
    name = " ".join("".join(letter if letter.isprintable() else " " for letter in name).split())
    if len(name) > LONGEST:
        raise ValueError(f"the name has {len(name)} characters: at most {LONGEST} fit")
    one.labels[topic] = name
    names = {key: {str(j): label for j, label in enumerate(m.labels) if label} for key, m in model.by_name_.items()}
    text = json.dumps({key: value for key, value in names.items() if value}, ensure_ascii=False, indent=1)
    files.replace(labels_path(path), lambda partial: partial.write_text(text, "utf-8"))
