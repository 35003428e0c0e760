"""Files: ``open``, ``read_table``, ``write_table``, ``Writer``."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

from . import _filters, _polars
from ._trevni import (
    ColumnStatistics,
    NativeFile,
    NativeWriter,
    RecordBatchReader,
    Schema,
    Table,
)

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    from ._pyarrow import TrevniDataset

# The rows of a batch of a table: those of a block.
TABLE_BATCH = 32_768


class File:
    """An open file. It is opened once and can be read any number of times, by several threads too.

    ``pyarrow.table(file)``, ``polars.DataFrame(file)`` and others read it through ``__arrow_c_stream__``.

    >>> import trevni
    >>> file = trevni.open("quakes.trv")
    >>> file.num_rows
    40
    >>> len(file.scan(columns=["id"], where="magnitude > 5").read_all())
    4
    """

    def __init__(self, source: Any, *, storage_options: Mapping[str, str] | None = None) -> None:
        self._source = source
        self._storage_options = dict(storage_options) if storage_options else None
        self._native = NativeFile(source, self._storage_options)

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
        """The size of the file in bytes."""
        return self._native.nbytes

    @property
    def metadata(self) -> dict[str, bytes]:
        """The metadata of the file, by key. Keys that begin ``trevni.`` and ``arrow.`` are of the format."""
        return self._native.metadata

    @property
    def codecs(self) -> list[str]:
        """The codecs of the stored columns; a nested field has several."""
        return self._native.codecs

    def statistics(self, column: str) -> ColumnStatistics | None:
        """Returns the statistics of a column, ``"a"`` or ``"struct.field"``; ``None`` if the file has none."""
        return self._native.statistics(column)

    def scan(
        self,
        columns: Sequence[str] | None = None,
        where: Any = None,
        *,
        batch_size: int | None = None,
        offset: int = 0,
        limit: int | None = None,
        threads: int | None = None,
    ) -> RecordBatchReader:
        """Starts to read.

        Args:
            columns: The columns, in this order; fields of structs as ``"struct.field"``. Default: all.
            where: Only rows for which this holds: a predicate as text (``"price > 10 and city in ('Ulm')"``), tuples
                (``[("price", ">", 10)]``), or an expression of pyarrow or polars. Blocks that cannot have such rows
                are not read.
            batch_size: The rows of a batch. Default: 8192.
            offset: Of these rows, how many are skipped.
            limit: Of these rows, how many are returned at most.
            threads: Threads that decode. Default: one for each core.
        """
        arguments: dict[str, Any] = {"batch_size": batch_size, "threads": threads}
        names = None if columns is None else list(columns)
        return _filters.scan(self, names, where, offset=offset, limit=limit, **arguments)

    def take(self, rows: Sequence[int], columns: Sequence[str] | None = None) -> Table:
        """Returns the rows at these indices, in this order. Only their blocks are read."""
        return self._native.take(list(rows), columns=None if columns is None else list(columns))

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

    def to_pyarrow_dataset(self) -> TrevniDataset:
        """Returns the file as ``pyarrow.dataset.Dataset``: DuckDB and others push columns and filters down to it."""
        from ._pyarrow import TrevniDataset

        return TrevniDataset(self)

    def scan_polars(self) -> polars.LazyFrame:
        """Returns the file as a lazy frame of polars, which reads the columns and rows that a query needs."""
        return _polars.scan(self)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.scan().__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        return self.schema.__arrow_c_schema__()

    def __iter__(self) -> Iterator[Any]:
        return iter(self.scan())

    def __len__(self) -> int:
        return self.num_rows

    def __reduce__(self) -> Any:
        return reopen, (type(self), self._source, self._storage_options)

    def __repr__(self) -> str:
        name = self._source if not isinstance(self._source, bytes) else "bytes"
        return f"trevni.File({str(name)!r}): {self.num_rows} rows\n{self.schema!r}"

    def _repr_html_(self) -> str:
        rows = self.scan(limit=10, threads=1).read_all()._repr_html_().rsplit("<p>", 1)[0]
        return f"{rows}<p>{self.num_rows} rows in {html.escape(str(self._source)[:200])}</p>"


def reopen(kind: Any, source: Any, storage_options: Mapping[str, str] | None) -> Any:
    """Opens what was pickled: what a caller opened, not what was read."""
    return kind(source, storage_options=storage_options)


def open(source: Any, *, storage_options: Mapping[str, str] | None = None) -> File:
    """Opens a file: a path, a URL (``s3://``, ``https://``), a file object with ``read`` and ``seek``, or ``bytes``.

    Args:
        source: The file.
        storage_options: The region, endpoint, keys and other options of an object store, as ``aws_region``. Those of
            the environment (``AWS_REGION``) apply too.
    """
    return File(source, storage_options=storage_options)


def read_table(
    source: Any,
    columns: Sequence[str] | None = None,
    filters: Any = None,
    *,
    limit: int | None = None,
    threads: int | None = None,
    storage_options: Mapping[str, str] | None = None,
) -> Table:
    """Reads a file, or some columns and rows of it. The arguments are those of :meth:`File.scan`.

    >>> import trevni
    >>> table = trevni.read_table("quakes.trv", columns=["id", "magnitude"], filters="magnitude > 5")
    >>> len(table)
    4
    """
    file = File(source, storage_options=storage_options)
    reader = file.scan(columns, filters, batch_size=TABLE_BATCH, limit=limit, threads=threads)
    return reader.read_all()


def write_options(
    *,
    codec: str | None = None,
    column_codecs: Mapping[str, str] | None = None,
    level: int | None = None,
    block_size: int | None = None,
    block_rows: int | None = None,
    checksum: bool = True,
    statistics: bool | Sequence[str] = True,
    bloom_filters: bool | Sequence[str] = False,
    sorting: Sequence[str] | None = None,
    metadata: Mapping[str, str | bytes] | None = None,
    layout: str | None = None,
    threads: int | None = None,
) -> dict[str, Any]:
    """Returns the options of writers; the keywords of :class:`Writer` describe them."""

    def columns(argument: bool | Sequence[str]) -> bool | list[str]:
        return argument if isinstance(argument, bool) else list(argument)

    encoded = {key: value.encode() if isinstance(value, str) else value for key, value in (metadata or {}).items()}
    return {
        "codec": codec,
        "column_codecs": None if column_codecs is None else dict(column_codecs),
        "level": level,
        "block_size": block_size,
        "block_rows": block_rows,
        "checksum": checksum,
        "statistics": columns(statistics),
        "bloom_filters": columns(bloom_filters),
        "sorting": None if sorting is None else list(sorting),
        "metadata": encoded,
        "layout": layout,
        "threads": threads,
    }


class Writer:
    """Writes a file, some rows at a time.

    The file appears when the writer is closed, and replaces what is at its path. As a context manager, the writer
    discards the file if an exception leaves the block.

    >>> import trevni
    >>> schema = trevni.open("quakes.trv").schema
    >>> with trevni.Writer("copy.trv", schema, codec="pack") as writer:
    ...     for batch in trevni.open("quakes.trv"):
    ...         writer.write(batch)
    >>> trevni.open("copy.trv").num_rows
    40

    Args:
        target: A path, a URL, or a file object with ``write``.
        schema: Any object with ``__arrow_c_schema__``.
        codec: ``"pack"`` is the fastest and usually smallest, and only this library reads it; ``"snappy"`` (the
            default), ``"deflate"``, ``"bzip2"`` and ``"null"`` are read by the reference implementation; ``"zstd"``,
            ``"lz4"`` and ``"pack+zstd"`` are not.
        column_codecs: The codecs of some columns, by name.
        level: The level of the codec, where it has any.
        block_size: The size in bytes at which a block ends.
        block_rows: The number of rows at which a block ends.
        checksum: Whether blocks have checksums.
        statistics: Whether blocks have minima, maxima and counts of nulls; or the names of the columns that do.
        bloom_filters: Whether blocks have Bloom filters; or the names of the columns that do.
        sorting: The columns that the rows are sorted by; ``"-name"`` for descending.
        metadata: Metadata of the file.
        layout: How nested fields become columns: ``"split"`` (the default) or ``"avro"``, as Avro's tools do.
        threads: Threads that encode. Default: one for each core.
        storage_options: The options of an object store.
    """

    def __init__(
        self,
        target: Any,
        schema: Any,
        *,
        storage_options: Mapping[str, str] | None = None,
        **options: Any,
    ) -> None:
        stores = dict(storage_options) if storage_options else None
        self._native = NativeWriter(target, schema, write_options(**options), stores)

    def write(self, data: Any) -> None:
        """Appends rows: any object with ``__arrow_c_stream__`` or ``__arrow_c_array__``."""
        self._native.write(data)

    def close(self) -> int:
        """Writes the file. Returns its size in bytes."""
        return self._native.close()

    def discard(self) -> None:
        """Drops what was written. Nothing appears."""
        self._native.discard()

    @property
    def closed(self) -> bool:
        """Whether the file was closed or discarded."""
        return self._native.closed

    def __enter__(self) -> Writer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is not None:
            self.discard()
        elif not self.closed:
            self.close()


def write_table(
    data: Any,
    target: Any,
    codec: str | None = None,
    *,
    storage_options: Mapping[str, str] | None = None,
    **options: Any,
) -> int:
    """Writes rows to a file. Returns its size in bytes. The options are those of :class:`Writer`.

    >>> import trevni
    >>> size = trevni.write_table(trevni.read_table("quakes.trv"), "packed.trv", codec="pack")
    >>> size == trevni.open("packed.trv").nbytes
    True

    Args:
        data: Any object with ``__arrow_c_stream__`` or ``__arrow_c_array__``: tables, batches and readers of
            pyarrow, frames of polars, pandas and DuckDB, a :class:`File`.
        target: A path, a URL, or a file object with ``write``.
        codec: The codec.
        storage_options: The options of an object store.
        options: Those of :class:`Writer`.
    """
    reader = RecordBatchReader(data)
    with Writer(target, reader.schema, codec=codec, storage_options=storage_options, **options) as writer:
        writer.write(reader)
        return writer.close()
