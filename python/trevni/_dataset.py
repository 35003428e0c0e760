"""Data sets: folders of files that commits list."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Unpack

from ._options import WriteOptions, native
from ._rows import Rows, names
from ._sources import Data, Several, Sources, several
from ._trevni import NativeDataset, Verification, write_dataset
from .errors import ArgumentError, ExistsError, NotFoundError


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

    def __init__(
        self,
        source: Sources,
        *,
        memory_limit: int | None = None,
        storage_options: Mapping[str, str] | None = None,
        _place: Several | None = None,
    ) -> None:
        super().__init__(source, memory_limit=memory_limit, storage_options=storage_options)
        # What a caller has found is not looked for again; a path that is no folder is an error where it is opened.
        self._place = _place or several(source) or Several(os.fspath(source))  # type: ignore[arg-type]
        self._native = NativeDataset(self._place.base, self._place.files, memory_limit, self._storage_options)

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
        return Dataset(self._source, memory_limit=self._memory_limit, storage_options=self._storage_options)

    def append(
        self,
        data: Data,
        *,
        file_bytes: int | None = None,
        file_rows: int | None = None,
        **options: Unpack[WriteOptions],
    ) -> Dataset:
        """Appends rows in one commit. Returns the data set with them. The options are those of
        :func:`write_dataset`.
        """
        if self._place.files is not None:
            raise ArgumentError("rows are appended to the folder of a data set, not to files")
        return write(
            data,
            self._place.base,
            file_bytes=file_bytes,
            file_rows=file_rows,
            storage_options=self._storage_options,
            **options,
        )

    def verify(self) -> Verification:
        """Verifies every block of the files: checksums, values, and statistics. Does not stop at a fault."""
        return self._native.verify()

    def __repr__(self) -> str:
        files = len(self._native.files)
        return f"trevni.Dataset({str(self._source)!r}): {self.num_rows} rows in {files} files\n{self.schema!r}"


def write(
    data: Data,
    target: str | os.PathLike[str],
    *,
    mode: Literal["append", "overwrite", "error"] = "append",
    partition_by: str | Sequence[str] | None = None,
    file_bytes: int | None = None,
    file_rows: int | None = None,
    storage_options: Mapping[str, str] | None = None,
    **options: Unpack[WriteOptions],
) -> Dataset:
    """Writes rows to a data set in one commit: all of them appear, or none.

    Args:
        data: Any object with ``__arrow_c_stream__`` or ``__arrow_c_array__``.
        target: The path or URL of a folder. It is created if it does not exist.
        mode: ``"append"``, also where there is no data set yet; ``"overwrite"`` to replace all rows; ``"error"`` if
            there must be no data set, as it is for ``pyarrow.dataset.write_dataset`` by default.
        partition_by: Columns whose values become folders, as ``year=2026``; ``[]`` for none. A data set that exists
            keeps its own, as it does its codec, layout and checksum.
        file_bytes: The approximate size of a file. Default: 128 MiB.
        file_rows: The maximum number of rows of a file.
        storage_options: The options of an object store.
        options: Those of :class:`trevni.Writer`.
    """
    if mode not in ("append", "overwrite", "error"):
        raise ArgumentError(f'mode {mode!r}: it is "append", "overwrite" or "error"')
    stores = dict(storage_options) if storage_options else None
    if mode == "error" and _exists(target, stores):
        raise ExistsError(f"{target}: there is a data set", file=str(target))
    write_dataset(
        data,
        target,
        native(options),
        overwrite=mode == "overwrite",
        partition_by=names(partition_by),
        file_bytes=file_bytes,
        file_rows=file_rows,
        storage_options=stores,
    )
    return Dataset(target, storage_options=storage_options)


def _exists(target: str | os.PathLike[str], stores: dict[str, str] | None) -> bool:
    try:
        NativeDataset(target, None, None, stores)
    except NotFoundError:
        return False
    return True
