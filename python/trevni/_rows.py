"""What files and data sets have in common: columns, scans, and the forms that rows are read in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _filters, _polars
from ._sources import Sources
from ._trevni import NativeDataset, NativeFile, RecordBatch, RecordBatchReader, Schema, Table
from .errors import ArgumentError

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow
    import pyarrow.dataset

# The rows of a batch of a table: those of a block.
TABLE_BATCH = 32_768


class Rows:
    """Rows that can be read any number of times, by several threads too.

    ``pyarrow.table(rows)``, ``polars.DataFrame(rows)`` and others read them through ``__arrow_c_stream__``.
    """

    _native: NativeFile | NativeDataset

    def __init__(
        self,
        source: Sources,
        *,
        memory_limit: int | None = None,
        storage_options: Mapping[str, str] | None = None,
    ) -> None:
        self._source = source
        self._memory_limit = memory_limit
        self._storage_options = dict(storage_options) if storage_options else None

    @property
    def schema(self) -> Schema:
        """The schema."""
        return self._native.schema

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return self._native.schema.names

    @property
    def num_rows(self) -> int:
        """The number of rows."""
        return self._native.num_rows

    @property
    def nbytes(self) -> int:
        """The size in bytes."""
        return self._native.nbytes

    def scan(
        self,
        columns: str | Sequence[str] | None = None,
        where: Any = None,
        *,
        batch_size: int | None = None,
        offset: int = 0,
        limit: int | None = None,
        threads: int | None = None,
    ) -> RecordBatchReader:
        """Starts to read.

        Args:
            columns: A column, or several in this order; fields of structs as ``"struct.field"``, names with dots in
                double quotes. Default: all.
            where: Only rows for which this holds: a predicate as text (``"price > 10 and city in ('Ulm')"``), tuples
                (``[("price", ">", 10)]``), or an expression of pyarrow or polars. Blocks and files that cannot have
                such rows are not read.
            batch_size: The rows of a batch. Default: 8192.
            offset: Of these rows, how many are skipped.
            limit: Of these rows, how many are returned at most.
            threads: Threads that decode. Default: one for each core.
        """
        numbers = {"batch_size": batch_size, "offset": offset, "limit": limit, "threads": threads}
        least = {"batch_size": 1, "offset": 0, "limit": 0, "threads": 1}
        for name, number in numbers.items():
            if number is not None and number < least[name]:
                raise ArgumentError(f"{name} is {number}")
        options: dict[str, Any] = {"columns": names(columns), **numbers}
        return _filters.scan(self, where, options)

    def read_all(self) -> Table:
        """Reads all rows."""
        return self.scan(batch_size=TABLE_BATCH).read_all()

    def to_arrow(self) -> pyarrow.Table:
        """Reads all rows as ``pyarrow.Table``."""
        return self.read_all().to_arrow()

    def to_pandas(self, **arguments: Any) -> pandas.DataFrame:
        """Reads all rows as ``pandas.DataFrame``. Arguments are those of ``pyarrow.Table.to_pandas``."""
        return self.read_all().to_pandas(**arguments)

    def to_polars(self) -> polars.DataFrame:
        """Reads all rows as ``polars.DataFrame``."""
        return self.read_all().to_polars()

    def to_pyarrow_dataset(self) -> pyarrow.dataset.Dataset:
        """Returns the rows as ``pyarrow.dataset.Dataset``: DuckDB and others push columns and filters down to it."""
        from ._pyarrow import TrevniDataset

        return TrevniDataset(self)

    def scan_polars(self) -> polars.LazyFrame:
        """Returns the rows as a lazy frame of polars, which reads the columns and rows that a query needs."""
        return _polars.scan(self)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.scan().__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        return self.schema.__arrow_c_schema__()

    def __iter__(self) -> Iterator[RecordBatch]:
        return iter(self.scan())

    def __len__(self) -> int:
        return self.num_rows

    def __reduce__(self) -> Any:
        return _reopen, (type(self), self._source, self._memory_limit, self._storage_options)


def names(columns: str | Sequence[str] | None) -> list[str] | None:
    """Returns the names of columns as a list; a text is one name."""
    if columns is None or isinstance(columns, str):
        return None if columns is None else [columns]
    return list(columns)


def _reopen(
    kind: type[Rows],
    source: Sources,
    memory_limit: int | None,
    storage_options: Mapping[str, str] | None,
) -> Rows:
    """Opens what was pickled: what a caller opened, not what was read."""
    return kind(source, memory_limit=memory_limit, storage_options=storage_options)
