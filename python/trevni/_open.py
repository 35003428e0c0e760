"""Opens and reads what a caller names: ``open``, ``dataset``, ``read_table``, ``scan_polars``, ``verify``."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import IO, TYPE_CHECKING, Any, overload

from ._dataset import Dataset
from ._file import File
from ._rows import TABLE_BATCH
from ._sources import Readable, Sources, file_of, several
from ._trevni import Table, Verification, verify_file

if TYPE_CHECKING:
    import polars


@overload
def open(  # type: ignore[overload-overlap]
    source: str | os.PathLike[str] | bytes | bytearray | memoryview | Readable | IO[bytes],
    *,
    memory_limit: int | None = None,
    storage_options: Mapping[str, str] | None = None,
) -> File: ...


@overload
def open(
    source: Iterable[str | os.PathLike[str]],
    *,
    memory_limit: int | None = None,
    storage_options: Mapping[str, str] | None = None,
) -> Dataset: ...


def open(
    source: Sources,
    *,
    memory_limit: int | None = None,
    storage_options: Mapping[str, str] | None = None,
) -> File | Dataset:
    """Opens a file: a path, a URL (``s3://``, ``https://``), a file object with ``read`` and ``seek``, ``bytes`` or
    another buffer. A folder, a URL that ends in ``/``, a pattern (``"2026-*.trv"``) and a list of paths are a
    :class:`Dataset`, as :func:`dataset` opens it; what only a :class:`File` has is not there then.

    Args:
        source: The file.
        memory_limit: The bytes that a reader may use: a value or a block that needs more is a ``LimitError``.
            Default: 512 MiB.
        storage_options: The region, endpoint, keys and other options of an object store, as ``aws_region``. Those of
            the environment (``AWS_REGION``) apply too.
    """
    place = several(source)
    if place is not None:
        return Dataset(source, memory_limit=memory_limit, storage_options=storage_options, _place=place)
    return File(source, memory_limit=memory_limit, storage_options=storage_options)  # type: ignore[arg-type]


def dataset(
    source: Sources,
    *,
    memory_limit: int | None = None,
    storage_options: Mapping[str, str] | None = None,
) -> Dataset:
    """Opens a data set: the path or URL of a folder; or files as one: a pattern, or a list of their paths or URLs.

    >>> import trevni
    >>> trevni.dataset(["quakes.trv", "quakes.trv"]).num_rows
    80
    """
    return Dataset(source, memory_limit=memory_limit, storage_options=storage_options)


def read_table(
    source: Sources,
    columns: str | Sequence[str] | None = None,
    filters: Any = None,
    *,
    limit: int | None = None,
    threads: int | None = None,
    memory_limit: int | None = None,
    storage_options: Mapping[str, str] | None = None,
) -> Table:
    """Reads a file or a data set, or some columns and rows of it. The arguments are those of :func:`open` and
    :meth:`File.scan`.

    >>> import trevni
    >>> table = trevni.read_table("quakes.trv", columns=["id", "magnitude"], filters="magnitude > 5")
    >>> len(table)
    4
    """
    rows = open(source, memory_limit=memory_limit, storage_options=storage_options)
    reader = rows.scan(columns, filters, batch_size=TABLE_BATCH, limit=limit, threads=threads)
    return reader.read_all()


def scan_polars(
    source: Sources,
    *,
    memory_limit: int | None = None,
    storage_options: Mapping[str, str] | None = None,
) -> polars.LazyFrame:
    """Returns a file or a data set as a lazy frame of polars, which reads the columns and rows that a query needs."""
    return open(source, memory_limit=memory_limit, storage_options=storage_options).scan_polars()


def verify(
    source: Sources,
    *,
    memory_limit: int | None = None,
    storage_options: Mapping[str, str] | None = None,
) -> Verification:
    """Verifies every block of a file, or of the files of a data set: checksums, values, and statistics. Does not stop
    at a fault. What needs more memory than ``memory_limit`` bytes is in ``exceeded``, and is no fault.
    """
    place = several(source)
    if place is not None:
        rows = Dataset(source, memory_limit=memory_limit, storage_options=storage_options, _place=place)
        return rows.verify()
    stores = dict(storage_options) if storage_options else None
    return verify_file(file_of(source), memory_limit=memory_limit, storage_options=stores)  # type: ignore[arg-type]
