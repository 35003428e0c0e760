"""What callers name as a source: files, folders, lists and patterns of files.

::

    "a.trv", Path, URL, file object, bytes, buffers       a file
    "folder", "s3://bucket/table/"                        a data set
    ["a.trv", "b.trv"], "2026-*.trv"                      files below the folder that they share, as one table
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import IO, Any, Protocol, cast

from .errors import ArgumentError, NotFoundError


class Readable(Protocol):
    """A file object that is read."""

    def read(self, size: int, /) -> bytes: ...
    def seek(self, offset: int, whence: int = 0, /) -> int: ...
    def tell(self) -> int: ...


class Writable(Protocol):
    """A file object that is written."""

    def write(self, data: bytes, /) -> Any: ...


class ArrowStream(Protocol):
    """Rows of another library."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


class ArrowArray(Protocol):
    """A record batch of another library."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...


class ArrowSchema(Protocol):
    """A schema of another library."""

    def __arrow_c_schema__(self) -> object: ...


Data = ArrowStream | ArrowArray
"""Rows: tables, batches, readers and frames of any library that knows Arrow's PyCapsule interface."""

Source = str | os.PathLike[str] | bytes | bytearray | memoryview | Readable | IO[bytes]
"""A file: a path, a URL, a file object, or bytes."""

Target = str | os.PathLike[str] | Writable | IO[bytes]
"""Where a file is written: a path, a URL, or a file object."""

Sources = Source | Iterable[str | os.PathLike[str]]
"""A file, a folder, a pattern, or a list of paths or URLs."""


@dataclass(frozen=True)
class Several:
    """A data set, or files as one table.

    Attributes:
        base: The folder.
        files: The paths of the files below it; ``None`` for those that the data set names.
    """

    base: str
    files: list[str] | None = None


def file_of(source: Source) -> Any:
    """Returns what the native module opens as a file. Buffers that may change are copied."""
    if isinstance(source, (str, bytes, os.PathLike)) or hasattr(source, "read"):
        return source
    try:
        return bytes(memoryview(cast(bytes, source)))
    except TypeError:
        kind = type(source).__name__
        raise TypeError(f"{kind}: a source is a path, a URL, a file object, bytes, or a list of paths") from None


def several(source: Sources) -> Several | None:
    """Returns what is more than one file; ``None`` for a file."""
    if isinstance(source, (str, os.PathLike)):
        text = os.fspath(source)
        if not isinstance(text, str):
            return None
        if "://" in text:
            return Several(text) if text.endswith("/") else None
        if os.path.isdir(text):
            return Several(text)
        if any(sign in text for sign in "*?[") and not os.path.exists(text):
            found = sorted(path for path in glob.glob(text, recursive=True) if os.path.isfile(path))
            if not found:
                raise NotFoundError(f"no file matches {text!r}", file=text)
            return _below(found)
        return None
    if isinstance(source, (list, tuple, set, frozenset)):
        paths = [os.fspath(path) for path in source]
        if not paths or not all(isinstance(path, str) for path in paths):
            raise ArgumentError("a list of files has their paths or URLs, at least one")
        return _below(paths)
    return None


def _below(paths: list[str]) -> Several:
    """Returns files by the folder that they share."""
    if all("://" in path for path in paths):
        shared = os.path.commonprefix([path.rsplit("/", 1)[0] + "/" for path in paths]).rsplit("/", 1)[0] + "/"
        if shared.count("/") < 3:
            raise ArgumentError("URLs of several stores cannot be one table")
        return Several(shared, [path[len(shared) :] for path in paths])
    absolute = [os.path.abspath(path) for path in paths]
    base = os.path.commonpath([os.path.dirname(path) for path in absolute])
    return Several(base, [os.path.relpath(path, base).replace(os.sep, "/") for path in absolute])
