"""Where patients come from: files of several kinds, folders of them and known data sets, as columns in chunks."""

from sonmf.sources.errors import TableError
from sonmf.sources.names import require
from sonmf.sources.opening import ENDINGS, open_file, open_table
from sonmf.sources.patient_columns import PatientColumns
from sonmf.sources.presets import PRESETS, Preset, preset_named
from sonmf.sources.source import Source
from sonmf.sources.table import Table

__all__ = [
    "ENDINGS",
    "PRESETS",
    "PatientColumns",
    "Preset",
    "Source",
    "Table",
    "TableError",
    "open_file",
    "open_table",
    "preset_named",
    "require",
]
