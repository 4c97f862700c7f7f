"""Which columns of a list of patients hold what."""

from __future__ import annotations

from typing import NamedTuple, Self

from sonmf.sources.source import Source


class PatientColumns(NamedTuple):
    """The note, the complaint, the patient, the outcome and what else is known; empty where there is none or none was named."""

    text: str = ""
    group: str = ""
    id: str = ""
    label: str = ""
    columns: tuple[str, ...] = ()
    """Those of the model; a source need not have them."""

    def among(self, source: Source) -> Self:
        """Those of a source: the usual ones where nothing was said. One that was named and is missing is refused.

        Patients need have no outcome yet.
        """
        names = source.columns
        text, group, patient = self.text or "note", self.group, self.id
        for name in filter(None, (text, group, patient)):
            source.require(name)
        usual = [name if name in names else "" for name in ("complaint", "id", self.label)]
        there = tuple(name for name in self.columns if name in names)
        return self.__class__(text, group or usual[0], patient or usual[1], usual[2], there)

    @property
    def needed(self) -> list[str]:
        """Each once."""
        return list(dict.fromkeys(filter(None, [*self[:-1], *self.columns])))
