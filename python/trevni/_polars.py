"""Files and data sets as lazy frames of polars."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ._expressions import (
    FLIPPED,
    And,
    Compare,
    Instant,
    IsIn,
    IsNull,
    IsTrue,
    Like,
    Node,
    Not,
    Or,
    Path,
    Pushdown,
    Unknown,
    escape_pattern,
    push_down,
)

if TYPE_CHECKING:
    import polars

    from ._rows import Rows

COMPARISONS = {"Eq": "=", "NotEq": "!=", "Lt": "<", "LtEq": "<=", "Gt": ">", "GtEq": ">="}
UNITS = {"Milliseconds": 10**3, "Microseconds": 10**6, "Nanoseconds": 10**9}
PATTERNS = {"StartsWith": "{}%", "EndsWith": "%{}"}
MISSING = object()


def nodes_of(expression: polars.Expr) -> Node:
    """Returns the nodes of an expression."""
    try:
        tree = json.loads(expression.meta.serialize(format="json"))
    except Exception:
        return Unknown()
    return _condition(tree)


def _condition(tree: Any) -> Node:
    match tree:
        case {"Column": str()}:
            return IsTrue((tree["Column"],))
        case {"BinaryExpr": {"left": left, "op": "And" | "LogicalAnd", "right": right}}:
            return And((_condition(left), _condition(right)))
        case {"BinaryExpr": {"left": left, "op": "Or" | "LogicalOr", "right": right}}:
            return Or((_condition(left), _condition(right)))
        case {"BinaryExpr": {"left": left, "op": str() as name, "right": right}}:
            return _comparison(left, COMPARISONS.get(name), right)
        case {"Function": {"input": inputs, "function": {"Boolean": function}}}:
            return _boolean(function, inputs)
        case {"Function": {"input": [column, text], "function": {"StringExpr": str() as name}}}:
            path, value = _path(column), _value(text)
            if path is None or name not in PATTERNS or not isinstance(value, str):
                return Unknown()
            return Like(path, PATTERNS[name].format(escape_pattern(value)))
    return Unknown()


def _comparison(left: Any, operator: str | None, right: Any) -> Node:
    if operator is None:
        return Unknown()
    path, value = _path(left), _value(right)
    if path is None:
        path, value, operator = _path(right), _value(left), FLIPPED[operator]
    if path is None or value is MISSING:
        return Unknown()
    return Compare(path, operator, value)


def _boolean(function: Any, inputs: list[Any]) -> Node:
    match function, inputs:
        case "Not", [inner]:
            return Not(_condition(inner))
        case "IsNull", [column] if (path := _path(column)) is not None:
            return IsNull(path)
        case "IsNotNull", [column] if (path := _path(column)) is not None:
            return Not(IsNull(path))
        case {"IsBetween": {"closed": closed}}, [column, low, high]:
            above = ">=" if closed in ("Both", "Left") else ">"
            below = "<=" if closed in ("Both", "Right") else "<"
            lower = _comparison(column, above, low)
            return And((lower, _comparison(column, below, high)))
        case {"IsIn": {"nulls_equal": False}}, [column, values] if path := _path(column):
            listed = _value(values)
            return IsIn(path, tuple(listed)) if isinstance(listed, list) else Unknown()
    return Unknown()


def _path(tree: Any) -> Path | None:
    match tree:
        case {"Column": str() as name}:
            return (name,)
        case {"Function": {"input": [inner], "function": {"StructExpr": {"FieldByName": name}}}}:
            path = _path(inner)
            return None if path is None else (*path, name)
    return None


def _value(tree: Any) -> Any:
    match tree:
        case {"Literal": {"Dyn": {"Int": value} | {"Float": value} | {"Str": value}}}:
            return value
        case {"Literal": {"Scalar": {"Datetime": [int() as count, str() as unit, zone]}}}:
            return Instant(count, UNITS[unit], zone is not None) if unit in UNITS else MISSING
        case {"Literal": {"Scalar": {"Date": int() as days}}}:
            return Instant(days, 0)
        case {"Literal": {"Scalar": {"List": list() as encoded}}}:
            import polars

            values = polars.read_ipc_stream(bytes(encoded)).to_series().to_list()
            return MISSING if None in values else values
        case {"Literal": {"Scalar": {"Binary": list() as value}}}:
            return bytes(value)
        case {"Literal": {"Scalar": dict() as scalar}} if len(scalar) == 1:
            ((kind, value),) = scalar.items()
            known = kind in ("Boolean", "String", "Float64") or kind.startswith(("Int", "UInt"))
            return value if known else MISSING
    return MISSING


def scan(source: Rows) -> polars.LazyFrame:
    """Returns the rows as a lazy frame: polars asks for the columns and rows that a query needs."""
    import polars
    from polars.io.plugins import register_io_source

    empty = polars.DataFrame(source.scan(limit=0).read_all())

    def read(
        with_columns: list[str] | None,
        predicate: polars.Expr | None,
        n_rows: int | None,
        batch_size: int | None,
    ) -> Iterator[polars.DataFrame]:
        pushed = Pushdown(None, True)
        if predicate is not None:
            pushed = push_down(nodes_of(predicate), source.schema._type_of)
            if pushed.text is not None and not source.schema._accepts(pushed.text):
                pushed = Pushdown(None, False)
        columns = with_columns
        if columns is not None and predicate is not None and not pushed.is_exact:
            columns = list(dict.fromkeys([*columns, *predicate.meta.root_names()]))
        # Rows that are filtered again cannot be counted before.
        limit = n_rows if pushed.is_exact else None
        batches = source.scan(columns=columns, where=pushed.text, batch_size=batch_size, limit=limit)
        left = n_rows
        for batch in batches:
            frame = polars.DataFrame(batch)
            if predicate is not None and not pushed.is_exact:
                frame = frame.filter(predicate)
                if columns != with_columns and with_columns is not None:
                    frame = frame.select(with_columns)
            if left is not None:
                frame = frame.head(left)
                left -= len(frame)
            if len(frame):
                yield frame
            if left == 0:
                return

    return register_io_source(read, schema=empty.schema)
