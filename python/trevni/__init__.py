"""Trevni column files and containers of the Blosc family, for Arrow data.

>>> import trevni
>>> table = trevni.read_table("quakes.trv", columns=["id", "magnitude"], filters="magnitude > 6")
>>> table.column_names
['id', 'magnitude']
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from . import blosc, errors
from ._dataset import DataFile, Dataset, dataset
from ._dataset import write as write_dataset
from ._file import File, Writer, open, read_table, write_table
from ._trevni import (
    ColumnStatistics,
    RecordBatch,
    RecordBatchReader,
    Schema,
    Table,
    Verification,
    __version__,
    verify,
)
from .errors import (
    ArgumentError,
    ChecksumError,
    DataError,
    LimitError,
    NotFoundError,
    StorageError,
    TrevniError,
    UnsupportedError,
)

if TYPE_CHECKING:
    import polars


def scan_polars(source: Any, *, storage_options: Mapping[str, str] | None = None) -> polars.LazyFrame:
    """Returns a file as a lazy frame of polars, which reads the columns and rows that a query needs."""
    return File(source, storage_options=storage_options).scan_polars()


__all__ = [
    "ArgumentError",
    "ChecksumError",
    "ColumnStatistics",
    "DataError",
    "DataFile",
    "Dataset",
    "File",
    "LimitError",
    "NotFoundError",
    "RecordBatch",
    "RecordBatchReader",
    "Schema",
    "StorageError",
    "Table",
    "TrevniError",
    "UnsupportedError",
    "Verification",
    "Writer",
    "__version__",
    "blosc",
    "dataset",
    "errors",
    "open",
    "read_table",
    "scan_polars",
    "verify",
    "write_dataset",
    "write_table",
]
