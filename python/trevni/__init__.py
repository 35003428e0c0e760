"""Trevni column files and containers of the Blosc family, for Arrow data.

>>> import trevni
>>> table = trevni.read_table("quakes.trv", columns=["id", "magnitude"], filters="magnitude > 6")
>>> table.column_names
['id', 'magnitude']
"""

from __future__ import annotations

from . import blosc, errors
from ._dataset import DataFile, Dataset
from ._dataset import write as write_dataset
from ._file import File, Writer, write_table
from ._open import dataset, open, read_table, scan_polars, verify
from ._trevni import (
    ColumnStatistics,
    RecordBatch,
    RecordBatchReader,
    Schema,
    Table,
    Verification,
    __version__,
)
from .errors import (
    ArgumentError,
    ChecksumError,
    DataError,
    ExistsError,
    LimitError,
    NotFoundError,
    StorageError,
    TrevniError,
    UnsupportedError,
)

__all__ = [
    "ArgumentError",
    "ChecksumError",
    "ColumnStatistics",
    "DataError",
    "DataFile",
    "Dataset",
    "ExistsError",
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
