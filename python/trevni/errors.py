"""Exceptions.

``TrevniError`` is the base of those that come of files, of data, and of the values of arguments; each is also the
builtin exception that callers expect. An argument of a wrong type, or one that does not exist, is a ``TypeError``, and
an index out of range an ``IndexError``, as everywhere.

| exception | builtin | cause |
|---|---|---|
| ``DataError`` | ``ValueError`` | the bytes are not a well-formed file |
| ``ChecksumError`` | ``ValueError`` | a block differs from its checksum |
| ``UnsupportedError`` | ``ValueError`` | the file is well-formed, but cannot be read here |
| ``LimitError`` | ``ValueError`` | a value or a batch exceeds the limit on memory |
| ``ArgumentError`` | ``ValueError`` | an argument is invalid |
| ``StorageError`` | ``OSError`` | reading or writing failed |
| ``NotFoundError`` | ``FileNotFoundError`` | there is no such file |
| ``ExistsError`` | ``FileExistsError`` | there is one already |
"""

from __future__ import annotations

import os
from errno import EEXIST, ENOENT
from typing import Any


class TrevniError(Exception):
    """An error, with its location in the file as far as it is known.

    Attributes:
        file: The name of the file.
        column: The name of the column.
        block: The index of the block within its column.
        chunk: The index of the chunk within its array, for containers of the Blosc family.
        offset: The byte offset within the file.
    """

    def __init__(
        self,
        message: str = "",
        *,
        file: str | None = None,
        column: str | None = None,
        block: int | None = None,
        chunk: int | None = None,
        offset: int | None = None,
    ) -> None:
        super().__init__(message)
        self.file = file
        self.column = column
        self.block = block
        self.chunk = chunk
        self.offset = offset


class DataError(TrevniError, ValueError):
    """The bytes are not a well-formed file of their format."""


class ChecksumError(DataError):
    """The checksum of a block differs from that of its data."""


class UnsupportedError(TrevniError, ValueError):
    """The file is well-formed, but this version cannot read it."""


class LimitError(TrevniError, ValueError):
    """A value or a batch exceeds the limit on memory."""


class ArgumentError(TrevniError, ValueError):
    """An argument is invalid."""


class StorageError(TrevniError, OSError):
    """Reading or writing failed. ``errno`` is the number of the operating system, if it has one, and ``filename`` the
    name of the file.
    """

    def __init__(self, message: str = "", *, errno: int | None = None, **location: Any) -> None:
        super().__init__(message, **location)
        self.errno = errno
        self.filename: Any = self.file
        self.strerror: str | None = None if errno is None else os.strerror(errno)

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class NotFoundError(StorageError, FileNotFoundError):
    """There is no such file or data set."""

    def __init__(self, message: str = "", *, errno: int | None = ENOENT, **location: Any) -> None:
        super().__init__(message, errno=errno, **location)


class ExistsError(StorageError, FileExistsError):
    """There is such a file or data set already."""

    def __init__(self, message: str = "", *, errno: int | None = EEXIST, **location: Any) -> None:
        super().__init__(message, errno=errno, **location)
