"""The ``filters`` and ``where`` arguments: text, tuples, or expressions of pyarrow and polars."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import _polars, _substrait
from ._expressions import Pushdown, from_tuples, push_down
from ._trevni import RecordBatchReader, Schema
from .errors import ArgumentError

if TYPE_CHECKING:
    from ._rows import Rows


@dataclass(frozen=True)
class Filter:
    """A condition on rows.

    Attributes:
        text: The predicate that is pushed down, if any.
        rest: The expression that the rows are filtered with again, if the predicate is not exact.
    """

    text: str | None = None
    rest: Any = None

    @classmethod
    def of(cls, condition: Any, schema: Schema) -> Filter:
        """Returns the filter of an argument."""
        if condition is None or isinstance(condition, str):
            return cls(condition)
        if isinstance(condition, (list, tuple)):
            try:
                return cls(from_tuples(list(condition)))
            except ValueError as error:
                raise ArgumentError(str(error)) from None
        if _is(condition, "pyarrow.compute", "Expression"):
            nodes = _substrait.nodes_of(condition, schema.to_arrow())
        elif _is(condition, "polars", "Expr"):
            nodes = _polars.nodes_of(condition)
        else:
            what = f"{type(condition).__name__}: a condition is a text, a list of tuples, or an expression"
            raise ArgumentError(f"{what} of pyarrow or polars")
        pushed = push_down(nodes, schema._type_of)
        if pushed.text is not None and not schema._accepts(pushed.text):
            pushed = Pushdown(None, False)
        return cls(pushed.text, None if pushed.is_exact else condition)

    def columns(self, schema: Schema) -> list[str]:
        """Returns the columns that the rest needs, and maybe others."""
        if _is(self.rest, "polars", "Expr"):
            return list(self.rest.meta.root_names())
        text = str(self.rest)
        words = set(re.findall(r"\w+", text))
        return [name for name in schema.names if name in words or (not name.isidentifier() and name in text)]

    def apply(self, reader: RecordBatchReader, columns: list[str] | None) -> RecordBatchReader:
        """Filters rows again, and leaves the columns that are wanted."""
        if _is(self.rest, "polars", "Expr"):
            return _filter_by_polars(self.rest, reader, columns)
        from pyarrow.dataset import Scanner

        scanner = Scanner.from_batches(reader.to_arrow(), columns=columns, filter=self.rest, use_threads=False)
        return RecordBatchReader(scanner.to_reader())


def _filter_by_polars(rest: Any, reader: RecordBatchReader, columns: list[str] | None) -> RecordBatchReader:
    import polars
    import pyarrow

    def batches() -> Iterator[Any]:
        for batch in reader:
            arrow = pyarrow.record_batch(batch)
            mask = polars.DataFrame(batch).select(rest.alias("mask"))["mask"]
            if rest.meta.root_names():
                kept = arrow.filter(mask.to_arrow())
            else:
                kept = arrow if mask.to_list() == [True] else arrow.slice(0, 0)
            yield kept if columns is None else kept.select(columns)

    schema = reader.schema.to_arrow()
    if columns is not None:
        schema = pyarrow.schema([schema.field(name) for name in columns], schema.metadata)
    return RecordBatchReader(pyarrow.RecordBatchReader.from_batches(schema, batches()))


def _is(value: Any, module: str, name: str) -> bool:
    """Returns whether a value is of a class, whose module is not imported for that."""
    found = sys.modules.get(module)
    return found is not None and isinstance(value, getattr(found, name))


def scan(source: Rows, condition: Any, options: dict[str, Any]) -> RecordBatchReader:
    """Starts to read with a condition."""
    kept = Filter.of(condition, source.schema)
    options = options | {"where": kept.text}
    if kept.rest is None:
        return source._native.scan(options)
    columns, offset, limit = options["columns"], options["offset"], options["limit"]
    # Rows that are filtered again cannot be counted before.
    options |= {"offset": 0, "limit": None}
    if columns is not None:
        options["columns"] = list(dict.fromkeys([*columns, *kept.columns(source.schema)]))
    reader = source._native.scan(options)
    reader = kept.apply(reader, None if columns is None else _roots(columns, reader.schema.names))
    return reader if not offset and limit is None else _limited(reader, offset, limit)


def _roots(columns: list[str], names: list[str]) -> list[str]:
    """Returns the columns that some paths are in, in the order of the paths."""
    found = (name for path in columns for name in names if path == name or path.startswith(name + "."))
    return list(dict.fromkeys(found))


def _limited(reader: RecordBatchReader, offset: int, limit: int | None) -> RecordBatchReader:
    import pyarrow

    def batches() -> Iterator[Any]:
        skip, left = offset, limit
        for batch in reader:
            if left == 0:
                return
            arrow = pyarrow.record_batch(batch).slice(skip)
            skip -= min(skip, batch.num_rows)
            if left is not None:
                arrow = arrow.slice(0, left)
                left -= arrow.num_rows
            yield arrow

    schema = reader.schema.to_arrow()
    return RecordBatchReader(pyarrow.RecordBatchReader.from_batches(schema, batches()))
