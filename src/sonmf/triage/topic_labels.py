"""Names that people give to topics, kept in a small JSON file beside the model: {complaint: {topic number: name}}."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from msgspec import Meta

from sonmf import files
from sonmf.errors import InputError
from sonmf.triage import strict_json

if TYPE_CHECKING:
    from sonmf.triage.model import TriageModel

LONGEST = 80  # characters of a name
LARGEST = 10_000_000  # bytes of the file
Names = dict[str, dict[Annotated[int, Meta(ge=0)], Annotated[str, Meta(max_length=LONGEST)]]]
"""The names of topics, by complaint and number."""


def labels_path(model: Path) -> Path:
    """The file in which the names of a model's topics are kept."""
    return model.with_name(f"{model.name}.labels.json")


def apply(model: TriageModel, path: Path) -> None:
    """Give the topics of a loaded model the names from the file beside it; names of unknown topics are ignored."""
    for complaint, named in read_labels(path).items():
        if complaint in model.by_name_:
            model.put(model.by_name_[complaint].with_labels(named))


def read_labels(model: Path) -> Names:
    """The names beside a model file, by complaint and topic; none where there is no such file."""
    return strict_json.read(Names, labels_path(model), LARGEST, "names of topics") or {}


def has_names(model: Path) -> bool:
    """Whether the file beside a model file names any topic."""
    return any(name for named in read_labels(model).values() for name in named.values())


def rename(model: TriageModel, path: Path, complaint: str, topic: int, name: str) -> None:
    """Name a topic, in the model and in the file beside it; an empty name removes the name.

    Characters that cannot be seen, such as those that steer a terminal, become spaces.
    """
    old = model.named_model(complaint)
    if not 0 <= topic < old.n_topics:
        raise InputError(f"there is no topic {topic}: {complaint or 'the pooled model'} has topics 0 to {old.n_topics - 1}")
    name = " ".join("".join(letter if letter.isprintable() else " " for letter in name).split())
    if len(name) > LONGEST:
        raise InputError(f"the name has {len(name)} characters: at most {LONGEST} fit")
    with files.locked(path.parent):  # names that others give meanwhile stay
        names = read_labels(path)
        names.setdefault(complaint, {})[topic] = name  # also an empty one: the model's own file may name the topic
        strict_json.write(names, labels_path(path))
    model.put(old.with_labels({topic: name}))
