"""Files: ``File``, ``Writer``, ``write_table``."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Unpack

from ._options import Codec, OtherOptions, WriteOptions, native
from ._rows import Rows, names
from ._sources import ArrowSchema, Data, Source, Target, file_of
from ._trevni import ColumnStatistics, NativeFile, NativeWriter, RecordBatchReader, Table


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

    def __init__(
        self,
        source: Source,
        *,
        memory_limit: int | None = None,
        storage_options: Mapping[str, str] | None = None,
    ) -> None:
        source = file_of(source)
        super().__init__(source, memory_limit=memory_limit, storage_options=storage_options)
        self._native = NativeFile(source, memory_limit, self._storage_options)

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

    def take(self, rows: Sequence[int], columns: str | Sequence[str] | None = None) -> Table:
        """Returns the rows at these indices, in this order. Only their blocks are read."""
        indices = [int(row) for row in rows]
        if any(row < 0 for row in indices):
            raise IndexError(f"row {min(indices)}")
        return self._native.take(indices, columns=names(columns))

    def __repr__(self) -> str:
        name = self._source if not isinstance(self._source, bytes) else "bytes"
        return f"trevni.File({str(name)!r}): {self.num_rows} rows\n{self.schema!r}"

    def _repr_html_(self) -> str:
        rows = self.scan(limit=10, threads=1).read_all()._repr_html_().rsplit("<p>", 1)[0]
        return f"{rows}<p>{self.num_rows} rows in {html.escape(str(self._source)[:200])}</p>"


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
        target: Target,
        schema: ArrowSchema,
        *,
        storage_options: Mapping[str, str] | None = None,
        **options: Unpack[WriteOptions],
    ) -> None:
        stores = dict(storage_options) if storage_options else None
        self._native = NativeWriter(target, schema, native(options), stores)

    def write(self, data: Data) -> None:
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
    data: Data,
    target: Target,
    codec: Codec | None = None,
    *,
    storage_options: Mapping[str, str] | None = None,
    **options: Unpack[OtherOptions],
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
    chosen: WriteOptions = {"codec": codec, **options}
    with Writer(target, reader.schema, storage_options=storage_options, **chosen) as writer:
        writer.write(reader)
        return writer.close()
