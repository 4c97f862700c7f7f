"""Which column of a list of patients holds what."""

from __future__ import annotations

from typing import NamedTuple, Self

from sonmf.sources.source import Source


class PatientColumns(NamedTuple):
    """Columns of the note, complaint, patient, outcome and other values; empty if there is none or none was named."""

    text: str = ""
    group: str = ""
    id: str = ""
    label: str = ""
    columns: tuple[str, ...] = ()
    """Columns of the model; a source need not have them."""
    fitted_text: str = "note"
    """Names of the note and the complaint in the fit: if nothing was named, they are tried before the usual names."""
    fitted_group: str = "complaint"
    more: tuple[str, ...] = ()
    """Other columns that a source must have."""

    def among(self, source: Source) -> Self:
        """Those of a source: where none was named, those of the fit or the usual ones. A named one that is missing is refused.

        Patients need not have an outcome yet.
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
        """All of these columns, each once."""
        return list(dict.fromkeys(filter(None, [self.text, self.group, self.id, self.label, *self.columns, *self.more])))
