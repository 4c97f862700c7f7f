"""How much of a table is held at a time, and what is too large to be one."""

from __future__ import annotations

MOST_COLUMNS = 10_000
LONGEST_ROW = 4_000_000  # bytes
MOST_EMPTY_LINES = 1_000_000  # one after another
LARGEST_PART = 16_000_000  # bytes of rows that are held before they are handed on
LARGEST_BATCH = 1000  # rows of Parquet that are unpacked at a time
LARGEST_WORKBOOK = 500_000_000  # bytes that a workbook unpacks to
