"""Files and data sets as ``pyarrow.dataset.Dataset``.

::

    DuckDB, datafusion, pandas ──columns, filter──► TrevniDataset.scanner ──► File.scan ──► pyarrow Scanner
    C++ of pyarrow: joins, unions, acero ─────────► TrevniDataset.children ──► files of Arrow's IPC format
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pyarrow
import pyarrow.compute
import pyarrow.dataset

from . import _pyarrow_files

if TYPE_CHECKING:
    from ._rows import Rows


class TrevniDataset(pyarrow.dataset.UnionDataset):  # type: ignore[misc]
    """A file or a data set with the interface of pyarrow. It cannot be written to.

    Its own methods push columns and conditions down. Code of pyarrow that does not call them, as that of ``join`` and
    of other data sets that this one is a part of, reads all columns of the rows, from :attr:`children`.
    """

    def __init__(self, source: Rows, filter: Any = None) -> None:
        schema = source.schema.to_arrow()
        super().__init__(schema, [_pyarrow_files.dataset(source, filter, schema)])
        self._source = source
        self._condition = filter

    @property
    def schema(self) -> pyarrow.Schema:
        """The schema."""
        return self._source.schema.to_arrow()

    @property
    def partition_expression(self) -> Any:
        """What is true of all rows: nothing is known."""
        return pyarrow.compute.scalar(True)

    def filter(self, expression: Any) -> TrevniDataset:
        """Returns the rows for which an expression is true."""
        return TrevniDataset(self._source, self._both(expression))

    def scanner(
        self,
        columns: Any = None,
        filter: Any = None,
        batch_size: int | None = None,
        **_settings: Any,
    ) -> pyarrow.dataset.Scanner:
        """Starts to read some columns and rows.

        Args:
            columns: The names of columns, or expressions by name.
            filter: An expression of pyarrow.
            batch_size: The rows of a batch.
        """
        condition = self._both(filter)
        if isinstance(columns, dict):
            reader = self._source.scan(where=condition, batch_size=batch_size)
            return pyarrow.dataset.Scanner.from_batches(reader.to_arrow(), columns=columns)
        names = None if columns is None else list(columns)
        reader = self._source.scan(names, condition, batch_size=batch_size)
        return pyarrow.dataset.Scanner.from_batches(reader.to_arrow())

    def to_batches(self, **arguments: Any) -> Iterator[pyarrow.RecordBatch]:
        """Reads record batches. The arguments are those of :meth:`scanner`."""
        return iter(self.scanner(**arguments).to_reader())

    def to_table(self, **arguments: Any) -> pyarrow.Table:
        """Reads a table."""
        return self.scanner(**arguments).to_table()

    def head(self, num_rows: int, columns: Any = None, filter: Any = None, **_: Any) -> pyarrow.Table:
        """Reads the first rows."""
        if isinstance(columns, dict):
            return self.scanner(columns, filter).head(num_rows)
        condition = self._both(filter)
        return self._source.scan(columns, condition, limit=num_rows).read_all().to_arrow()

    def take(self, indices: Any, columns: Any = None, filter: Any = None, **_: Any) -> pyarrow.Table:
        """Reads the rows at these indices, of those for which a condition holds."""
        plain = self._both(filter) is None and not isinstance(columns, dict)
        if plain and hasattr(self._source, "take"):
            rows = pyarrow.array(indices).to_pylist()
            return self._source.take(rows, columns).to_arrow()
        return self.to_table(columns=columns, filter=filter).take(pyarrow.array(indices))

    def count_rows(self, filter: Any = None, **_: Any) -> int:
        """Counts rows."""
        condition = self._both(filter)
        if condition is None:
            return self._source.num_rows
        return sum(batch.num_rows for batch in self._source.scan([], condition))

    def get_fragments(self, filter: Any = None) -> Iterator[Any]:
        """Returns the only fragment: all rows, whatever the filter, which leaves out fragments."""
        return iter([_Fragment(self)])

    def replace_schema(self, schema: pyarrow.Schema) -> pyarrow.dataset.Dataset:
        """Returns the rows with another schema."""
        return self.children[0].replace_schema(schema)

    def __reduce__(self) -> Any:
        return type(self), (self._source, self._condition)

    def _both(self, expression: Any) -> Any:
        if self._condition is None or expression is None:
            return self._condition if expression is None else expression
        return self._condition & expression


class _Fragment:
    """All rows of a data set, for engines that read by fragments."""

    def __init__(self, dataset: TrevniDataset) -> None:
        self._dataset = dataset

    @property
    def physical_schema(self) -> pyarrow.Schema:
        return self._dataset.schema

    @property
    def partition_expression(self) -> Any:
        return self._dataset.partition_expression

    def scanner(self, schema: Any = None, **arguments: Any) -> pyarrow.dataset.Scanner:
        return self._dataset.scanner(**arguments)

    def to_batches(self, schema: Any = None, **arguments: Any) -> Iterator[pyarrow.RecordBatch]:
        return self._dataset.to_batches(**arguments)

    def to_table(self, schema: Any = None, **arguments: Any) -> pyarrow.Table:
        return self._dataset.to_table(**arguments)

    def head(self, num_rows: int, **arguments: Any) -> pyarrow.Table:
        return self._dataset.head(num_rows, **arguments)

    def take(self, indices: Any, **arguments: Any) -> pyarrow.Table:
        return self._dataset.take(indices, **arguments)

    def count_rows(self, **arguments: Any) -> int:
        return self._dataset.count_rows(**arguments)
