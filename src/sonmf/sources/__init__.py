"""Where patients come from: files of several kinds, folders of them, queries and known data sets, as columns in chunks.

The known data sets are in ``sonmf.sources.presets``: they need scikit-learn, and reading a file does not.
"""

from sonmf.sources.errors import TableError
from sonmf.sources.names import require
from sonmf.sources.opening import ENDINGS, open_file, open_table
from sonmf.sources.patient_columns import PatientColumns
from sonmf.sources.query import Query
from sonmf.sources.reading import Reading
from sonmf.sources.source import Source

__all__ = [
    "ENDINGS",
    "PatientColumns",
    "Query",
    "Reading",
    "Source",
    "TableError",
    "open_file",
    "open_table",
    "require",
]
