"""Limits on how much of a table is in memory at a time, and on the size of tables."""

from __future__ import annotations

MOST_COLUMNS = 10_000
LONGEST_ROW = 4_000_000  # bytes
MOST_EMPTY_LINES = 1_000_000  # in a row
LARGEST_PART = 16_000_000  # bytes of rows that are held before they are passed on
LARGEST_BATCH = 1000  # rows of Parquet that are decompressed at a time
LARGEST_UNPACKED = 500_000_000  # bytes of a workbook; a process that unpacks Parquet has the same memory
