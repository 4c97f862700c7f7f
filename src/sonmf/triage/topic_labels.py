"""Names that people give to topics, kept in a small JSON file beside the model: {complaint: {topic number: name}}."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from sonmf import files
from sonmf.triage import strict_json

if TYPE_CHECKING:
    from sonmf.triage.model import TriageModel

LONGEST = 80  # characters of a name
LARGEST = 10_000_000  # bytes of the file


def labels_path(model: Path) -> Path:
    """Where the names of a model's topics are kept."""
    return model.with_name(f"{model.name}.labels.json")


def apply(model: TriageModel, path: Path) -> None:
    """Give the topics of a loaded model the names beside its file; names of topics that it does not have are ignored."""
    for complaint, named in read_labels(path).items():
        if complaint in model.by_name_:
            labels = {int(number): name for number, name in named.items()}
            model.put(model.by_name_[complaint].with_labels(labels))


def read_labels(model: Path) -> dict[str, dict[str, str]]:
    """The names beside a model file, by complaint and topic; none where there is no such file."""
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


def has_names(model: Path) -> bool:
    """Whether the file beside a model file names any topic."""
    return any(name for named in read_labels(model).values() for name in named.values())


def rename(model: TriageModel, path: Path, complaint: str, topic: int, name: str) -> None:
    """Name a topic, in the model and beside its file; an empty name takes the name away.

    Characters that cannot be seen, such as those that steer a terminal, become spaces.
    """
    old = model.named_model(complaint)
    if not 0 <= topic < old.n_topics:
        raise ValueError(f"there is no topic {topic}: {complaint or 'the pooled model'} has topics 0 to {old.n_topics - 1}")
    name = " ".join("".join(letter if letter.isprintable() else " " for letter in name).split())
    if len(name) > LONGEST:
        raise ValueError(f"the name has {len(name)} characters: at most {LONGEST} fit")
    names = read_labels(path)
    names.setdefault(complaint, {})[str(topic)] = name  # also an empty one: the model's own file may name the topic
    text = json.dumps(names, ensure_ascii=False, indent=1)
    files.replace(labels_path(path), lambda partial: partial.write_text(text, "utf-8"))
    model.put(old.with_labels({topic: name}))
