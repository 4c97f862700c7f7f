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
    fitted_text: str = "note"
    """What the note was called in the fit, and the complaint: looked for where nothing was named, before the usual ones."""
    fitted_group: str = "complaint"
    more: tuple[str, ...] = ()
    """Others that a source must have."""

    def among(self, source: Source) -> Self:
        """Those of a source: of the fit or the usual ones where nothing was said. One that was named and is missing is refused.

        Patients need have no outcome yet.
        """
        names = source.columns
        text = self.text or next((name for name in (self.fitted_text, "note") if name in names), self.fitted_text)
        for name in filter(None, (text, self.group, self.id, *self.more)):
            source.require(name)
        group = self.group or next((name for name in (self.fitted_group, "complaint") if name in names), "")
        patient, label = self.id or ("id" if "id" in names else ""), self.label if self.label in names else ""
        columns = tuple(name for name in self.columns if name in names)
        return self.__class__(text, group, patient, label, columns, more=tuple(self.more))

    @property
    def needed(self) -> list[str]:
        """Each once."""
        return list(dict.fromkeys(filter(None, [self.text, self.group, self.id, self.label, *self.columns, *self.more])))
