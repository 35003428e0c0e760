"""Files: ``open``, ``read_table``, ``write_table``, ``Writer``."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any

from ._rows import TABLE_BATCH, Rows
from ._trevni import (
    ColumnStatistics,
    NativeFile,
    NativeWriter,
    RecordBatchReader,
    Table,
)


class File(Rows):
    """An open file. It is opened once and can be read any number of times, by several threads too.

    ``pyarrow.table(file)``, ``polars.DataFrame(file)`` and others read it through ``__arrow_c_stream__``.

    >>> import trevni
    >>> file = trevni.open("quakes.trv")
    >>> file.num_rows
    40
    >>> len(file.scan(columns=["id"], where="magnitude > 5").read_all())
    4
    """

    _native: NativeFile

    def __init__(self, source: Any, *, storage_options: Mapping[str, str] | None = None) -> None:
        super().__init__(source, storage_options=storage_options)
        self._native = NativeFile(source, self._storage_options)

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

    def take(self, rows: Sequence[int], columns: Sequence[str] | None = None) -> Table:
        """Returns the rows at these indices, in this order. Only their blocks are read."""
        return self._native.take(list(rows), columns=None if columns is None else list(columns))

    def __repr__(self) -> str:
        name = self._source if not isinstance(self._source, bytes) else "bytes"
        return f"trevni.File({str(name)!r}): {self.num_rows} rows\n{self.schema!r}"

    def _repr_html_(self) -> str:
        rows = self.scan(limit=10, threads=1).read_all()._repr_html_().rsplit("<p>", 1)[0]
        return f"{rows}<p>{self.num_rows} rows in {html.escape(str(self._source)[:200])}</p>"


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
