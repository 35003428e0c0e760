"""Data sets: folders of files that commits list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ._file import write_options
from ._rows import Rows
from ._trevni import NativeDataset, write_dataset
from .errors import NotFoundError


@dataclass(frozen=True)
class DataFile:
    """A file of a data set.

    Attributes:
        path: Its path within the data set.
        num_rows: Its rows.
        nbytes: Its size in bytes.
    """

    path: str
    num_rows: int
    nbytes: int


class Dataset(Rows):
    """A data set as it was when it was opened: rows that others append meanwhile are not in it.

    >>> import trevni
    >>> quakes = trevni.read_table("quakes.trv")
    >>> rows = trevni.write_dataset(quakes, "all", partition_by=["magnitude_type"])
    >>> rows.num_rows, rows.commit
    (40, 1)
    >>> rows.append(quakes).num_rows
    80
    """

    _native: NativeDataset

    def __init__(self, source: Any, *, storage_options: Mapping[str, str] | None = None) -> None:
        super().__init__(source, storage_options=storage_options)
        self._native = NativeDataset(source, self._storage_options)

    @property
    def partitions(self) -> list[str]:
        """The names of the columns whose values are in paths."""
        return self._native.partitions

    @property
    def commit(self) -> int | None:
        """The number of the commit that this is; ``None`` for a folder without commits."""
        return self._native.commit

    @property
    def files(self) -> list[DataFile]:
        """The files, in the order of their rows."""
        return [DataFile(*file) for file in self._native.files]

    def snapshot(self) -> Dataset:
        """Returns the data set as it is now."""
        return Dataset(self._source, storage_options=self._storage_options)

    def append(self, data: Any, **options: Any) -> Dataset:
        """Appends rows in one commit. Returns the data set with them. The options are those of
        :func:`write_dataset`.
        """
        return write(data, self._source, storage_options=self._storage_options, **options)

    def __repr__(self) -> str:
        files = len(self._native.files)
        return f"trevni.Dataset({str(self._source)!r}): {self.num_rows} rows in {files} files\n{self.schema!r}"


def dataset(source: Any, *, storage_options: Mapping[str, str] | None = None) -> Dataset:
    """Opens a data set: the path or URL of a folder."""
    return Dataset(source, storage_options=storage_options)


def write(
    data: Any,
    target: Any,
    *,
    mode: str = "append",
    partition_by: Sequence[str] | None = None,
    file_bytes: int | None = None,
    file_rows: int | None = None,
    storage_options: Mapping[str, str] | None = None,
    **options: Any,
) -> Dataset:
    """Writes rows to a data set in one commit: all of them appear, or none.

    Args:
        data: Any object with ``__arrow_c_stream__`` or ``__arrow_c_array__``.
        target: The path or URL of a folder. It is created if it does not exist.
        mode: ``"append"``, or ``"overwrite"`` to replace all rows.
        partition_by: Columns whose values become folders, as ``year=2026``. A data set that exists keeps its own.
        file_bytes: The approximate size of a file. Default: 128 MiB.
        file_rows: The maximum number of rows of a file.
        storage_options: The options of an object store.
        options: Those of :class:`trevni.Writer`.
    """
    if mode not in ("append", "overwrite"):
        raise ValueError(f'mode {mode!r}: it is "append" or "overwrite"')
    stores = dict(storage_options) if storage_options else None
    if partition_by is None and mode == "append":
        try:
            partition_by = NativeDataset(target, stores).partitions
        except NotFoundError:
            pass
    write_dataset(
        data,
        target,
        write_options(**options),
        overwrite=mode == "overwrite",
        partition_by=None if partition_by is None else list(partition_by),
        file_bytes=file_bytes,
        file_rows=file_rows,
        storage_options=stores,
    )
    return Dataset(target, storage_options=storage_options)
