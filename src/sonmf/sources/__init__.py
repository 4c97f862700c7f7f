"""Where patients come from: files of several kinds, folders of files, queries and published data sets, as columns in chunks.

The published data sets are in ``sonmf.sources.presets``: they need scikit-learn, and reading a file does not.
"""

from sonmf.sources.errors import TableError, require
from sonmf.sources.file_kinds import ENDINGS, open_file, open_table
from sonmf.sources.query import Query
from sonmf.sources.source import Reading, Source

__all__ = [
    "ENDINGS",
    "Query",
    "Reading",
    "Source",
    "TableError",
    "open_file",
    "open_table",
    "require",
]
