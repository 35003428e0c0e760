"""Ranges of rows as files of Arrow's IPC format, which exist while pyarrow reads them.

::

    pyarrow's data set ──fragment──► open_input_file("rows-0-131072.arrow") ──► scan of rows 0 to 131072 ──► a buffer

Code in C++ that is given a data set reads these, and never calls Python's methods.
"""

from __future__ import annotations

import atexit
import threading
import time
import weakref
from typing import TYPE_CHECKING, Any, NoReturn

import pyarrow
import pyarrow.dataset
import pyarrow.fs

if TYPE_CHECKING:
    from ._rows import Rows

# The rows of a file: pyarrow holds some files at a time.
FILE_ROWS = 131_072
# How many files that were made are kept: each is opened for its schema, and then for its rows.
KEPT = 4
# When the interpreter exits: how often it looks whether threads of pyarrow still hold file systems, every millisecond,
# and how many times in a row nothing may have changed.
EXIT_LOOKS = 1000
EXIT_UNCHANGED = 20

# The file systems that exist.
_alive: weakref.WeakValueDictionary[int, RowFiles] = weakref.WeakValueDictionary()


def _wait_for_threads() -> None:
    """Waits until the threads of pyarrow have dropped what they read from.

    A scan returns before its threads drop their references to the file system. A thread that needs the interpreter for
    it when the interpreter is gone ends the process ("terminate called without an active exception").
    """
    unchanged, before = 0, None
    for _ in range(EXIT_LOOKS):
        now = [(id(files), files.reading) for files in list(_alive.values())]
        unchanged = unchanged + 1 if now == before and not any(reading for _, reading in now) else 0
        if unchanged == EXIT_UNCHANGED:
            return
        before = now
        del now
        time.sleep(0.001)


class RowFiles(pyarrow.fs.FileSystemHandler):  # type: ignore[misc]
    """A file system of ranges of rows. It cannot be written to."""

    def __init__(self, source: Rows, condition: Any) -> None:
        self._source = source
        self._condition = condition
        self._made: dict[str, pyarrow.Buffer] = {}
        self._lock = threading.Lock()
        # How many threads make a file now.
        self.reading = 0
        if not _alive:
            # Not before a first file system exists: a process without one does not wait.
            atexit.unregister(_wait_for_threads)
            atexit.register(_wait_for_threads)
        _alive[id(self)] = self

    def __reduce__(self) -> Any:
        return type(self), (self._source, self._condition)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RowFiles):
            return NotImplemented
        return self._source is other._source and self._condition is other._condition

    __hash__ = None  # type: ignore[assignment]

    def paths(self) -> list[str]:
        """Returns the paths of all files, in the order of their rows."""
        rows = self._source.num_rows
        return [f"rows-{first}-{min(first + FILE_ROWS, rows)}.arrow" for first in range(0, rows, FILE_ROWS)]

    def get_type_name(self) -> str:
        return "trevni"

    def normalize_path(self, path: str) -> str:
        return path

    def get_file_info(self, paths: list[str]) -> list[pyarrow.fs.FileInfo]:
        kinds = {True: pyarrow.fs.FileType.File, False: pyarrow.fs.FileType.NotFound}
        known = set(self.paths())
        return [pyarrow.fs.FileInfo(path, kinds[path in known]) for path in paths]

    def get_file_info_selector(self, selector: pyarrow.fs.FileSelector) -> list[pyarrow.fs.FileInfo]:
        return self.get_file_info(self.paths()) if selector.base_dir in ("", "/") else []

    def open_input_file(self, path: str) -> pyarrow.NativeFile:
        with self._lock:
            made = self._made.pop(path, None)
            self.reading += 1
        try:
            if made is None:
                made = self._make(path)
                with self._lock:
                    self._made[path] = made
                    while len(self._made) > KEPT:
                        self._made.pop(next(iter(self._made)))
            return pyarrow.BufferReader(made)
        finally:
            with self._lock:
                self.reading -= 1

    def open_input_stream(self, path: str) -> pyarrow.NativeFile:
        return self.open_input_file(path)

    def _make(self, path: str) -> pyarrow.Buffer:
        if path not in self.paths():
            raise FileNotFoundError(path)
        first, end = (int(number) for number in path.removesuffix(".arrow").split("-")[1:])
        table = self._source.scan(offset=first, limit=end - first).read_all().to_arrow()
        if self._condition is not None:
            table = table.filter(self._condition)
        sink = pyarrow.BufferOutputStream()
        options = pyarrow.ipc.IpcWriteOptions(unify_dictionaries=True)
        with pyarrow.ipc.new_file(sink, table.schema, options=options) as writer:
            writer.write_table(table)
        return sink.getvalue()

    def _refuse(self, *_arguments: Any, **_options: Any) -> NoReturn:
        raise OSError("the rows of a file cannot be changed")

    create_dir = delete_dir = delete_dir_contents = delete_root_dir_contents = _refuse
    delete_file = move = copy_file = open_output_stream = open_append_stream = _refuse


def dataset(source: Rows, condition: Any, schema: pyarrow.Schema) -> pyarrow.dataset.FileSystemDataset:
    """Returns the rows for which a condition holds as a data set of these files."""
    handler = RowFiles(source, condition)
    file_system = pyarrow.fs.PyFileSystem(handler)
    file_format = pyarrow.dataset.IpcFileFormat()
    fragments = [file_format.make_fragment(path, file_system) for path in handler.paths()]
    return pyarrow.dataset.FileSystemDataset(fragments, schema, file_format, file_system)
