"""Containers of the Blosc family: Bloscpack files, directories of bcolz, carray and Blaze, Blosc2 frames.

>>> import trevni.blosc
>>> container = trevni.blosc.open("prices.bcolz")
>>> container.kind, container.names
('ctable', ['x', 'm'])
>>> container["x"][:3].tolist()
[-26, 7, 3]
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ._trevni import NativeContainer, RecordBatchReader

if TYPE_CHECKING:
    import numpy
    import pandas
    import polars
    import pyarrow


class Array:
    """An array of a container. Slices are read as NumPy arrays; only their chunks are decompressed."""

    def __init__(self, container: NativeContainer, name: str) -> None:
        self._container = container
        self.name = name

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape."""
        return tuple(self._container.shape(self.name))

    @property
    def dtype(self) -> numpy.dtype[Any]:
        """The dtype."""
        import numpy

        dtype: numpy.dtype[Any] = numpy.dtype(_dtype(self._container.dtype(self.name)))
        return dtype

    @property
    def order(self) -> str:
        """The order in which it is stored, ``"C"`` or ``"F"``. What is read has ``"C"``."""
        return self._container.order(self.name)

    @property
    def num_chunks(self) -> int:
        """The number of chunks."""
        return self._container.chunks(self.name)

    @property
    def attributes(self) -> dict[str, Any]:
        """The attributes of the user."""
        return dict(json.loads(self._container.attributes_of(self.name)))

    def to_numpy(self) -> numpy.ndarray[Any, Any]:
        """Reads all of it."""
        return self._read(0, len(self)).reshape(self.shape)

    def _read(self, start: int, stop: int) -> numpy.ndarray[Any, Any]:
        import numpy

        data = self._container.read(self.name, start, stop)
        dtype, rows = self.dtype, self.shape[1:]
        if dtype.itemsize == 0:
            return numpy.zeros((stop - start, *rows), dtype)
        return numpy.frombuffer(data, dtype).reshape((stop - start, *rows))

    def __len__(self) -> int:
        return self.shape[0] if self.shape else 1

    def __getitem__(self, key: Any) -> Any:
        if not self.shape:
            return self.to_numpy()[key]
        first, *rest = key if isinstance(key, tuple) else (key,)
        if isinstance(first, slice):
            start, stop, step = first.indices(len(self))
            if step < 0:
                return self.to_numpy()[key]
            rows = self._read(start, max(start, stop))[::step]
            return rows[(slice(None), *rest)] if rest else rows
        if isinstance(first, int) or hasattr(first, "__index__"):
            row = first.__index__()
            row += len(self) if row < 0 else 0
            if not 0 <= row < len(self):
                raise IndexError(f"row {first} of {len(self)}")
            value = self._read(row, row + 1)[0]
            return value[tuple(rest)] if rest else value
        return self.to_numpy()[key]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> numpy.ndarray[Any, Any]:
        if copy is False:
            raise ValueError("the array is compressed: it cannot be used without a copy")
        values = self.to_numpy()
        return values if dtype is None else values.astype(dtype)

    def __repr__(self) -> str:
        return (
            f"trevni.blosc.Array({self.name!r}, shape={self.shape}, dtype={_dtype(self._container.dtype(self.name))!r})"
        )


class Container(Mapping[str, Array]):
    """An open container: one array, or the columns of a table.

    ``pyarrow.table(container)`` and others read it through ``__arrow_c_stream__``.
    """

    def __init__(self, source: Any, *, storage_options: Mapping[str, str] | None = None) -> None:
        self._source = source
        self._native = NativeContainer(source, dict(storage_options) if storage_options else None)

    @property
    def kind(self) -> str:
        """``"bloscpack"``, ``"carray"``, ``"ctable"``, ``"contiguous frame"`` or ``"sparse frame"``."""
        return self._native.kind

    @property
    def names(self) -> list[str]:
        """The names of the arrays. That of a container of one is ``"values"``, or ``"bytes"`` if it has no dtype."""
        return self._native.names

    @property
    def attributes(self) -> dict[str, Any]:
        """The attributes of the user."""
        return dict(json.loads(self._native.attributes))

    def scan(
        self,
        columns: Sequence[str] | None = None,
        *,
        batch_size: int | None = None,
        start: int = 0,
        stop: int | None = None,
        threads: int | None = None,
    ) -> RecordBatchReader:
        """Starts to read rows as Arrow.

        Args:
            columns: The arrays, in this order. Default: all.
            batch_size: The rows of a batch.
            start: The first row.
            stop: The row after the last.
            threads: Threads that decompress. Default: one for each core.
        """
        names = None if columns is None else list(columns)
        return self._native.scan(columns=names, batch_size=batch_size, start=start, stop=stop, threads=threads)

    def to_numpy(self) -> numpy.ndarray[Any, Any]:
        """Reads the only array."""
        (array,) = self.values()
        return array.to_numpy()

    def to_arrow(self) -> pyarrow.Table:
        """Reads all rows as ``pyarrow.Table``."""
        return self.scan().read_all().to_arrow()

    def to_pandas(self, **arguments: Any) -> pandas.DataFrame:
        """Reads all rows as ``pandas.DataFrame``."""
        return self.scan().read_all().to_pandas(**arguments)

    def to_polars(self) -> polars.DataFrame:
        """Reads all rows as ``polars.DataFrame``."""
        return self.scan().read_all().to_polars()

    def __getitem__(self, name: str) -> Array:
        if name not in self.names:
            raise KeyError(name)
        return Array(self._native, name)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.scan().__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        arrays = "\n".join(repr(array) for array in self.values())
        return f"trevni.blosc.Container({str(self._source)!r}): {self.kind}\n{arrays}"


def open(source: Any, *, storage_options: Mapping[str, str] | None = None) -> Container:
    """Opens a container: a path, a URL of a file, a file object with ``read`` and ``seek``, or ``bytes``."""
    return Container(source, storage_options=storage_options)


def _dtype(text: str) -> Any:
    """Returns what ``numpy.dtype`` takes."""
    return ast.literal_eval(text) if text.startswith(("[", "(", "'")) else text
