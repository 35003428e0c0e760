"""Conditions that other libraries express, as the text of Trevni's predicates.

::

    pyarrow   expression ── Substrait ──► nodes ──┐
    polars    expression ── JSON ───────► nodes ──┼──► Pushdown(text, is_exact)
    tuples    [("a", ">", 1)] ──────────► nodes ──┘

A pushdown never leaves out a row that the condition keeps. If it is not exact, the caller filters the rows again.
Where a part of an ``and`` cannot be expressed, the others are pushed down.
"""

from __future__ import annotations

import datetime
import decimal
import math
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Union

Path = tuple[str, ...]


@dataclass(frozen=True)
class Compare:
    """A column compared with a value."""

    path: Path
    operator: str
    value: Any


@dataclass(frozen=True)
class IsIn:
    """A column whose value is one of some."""

    path: Path
    values: tuple[Any, ...]


@dataclass(frozen=True)
class IsNull:
    """A column that is null."""

    path: Path


@dataclass(frozen=True)
class IsTrue:
    """A boolean column."""

    path: Path


@dataclass(frozen=True)
class Like:
    """A text column that matches a pattern of SQL."""

    path: Path
    pattern: str


@dataclass(frozen=True)
class And:
    """All of some conditions."""

    nodes: tuple[Node, ...]


@dataclass(frozen=True)
class Or:
    """Any of some conditions."""

    nodes: tuple[Node, ...]


@dataclass(frozen=True)
class Not:
    """The opposite of a condition."""

    node: Node


@dataclass(frozen=True)
class Unknown:
    """A condition that cannot be expressed."""


Node = Union[Compare, IsIn, IsNull, IsTrue, Like, And, Or, Not, Unknown]


@dataclass(frozen=True)
class Pushdown:
    """A predicate that keeps at least the rows of a condition.

    Attributes:
        text: The predicate; ``None`` if it keeps all rows.
        is_exact: Whether it keeps no others.
    """

    text: str | None
    is_exact: bool


TypeOf = Callable[[Path], Union[str, None]]
FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "!=": "!="}
OPERATORS = {"=": "=", "==": "=", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
# Near enough to zero that nothing but zeros is between, as far as data of people goes; rows are filtered again.
TINY = "1e-300"
EXACT_INTEGERS = 2**53


def push_down(node: Node, type_of: TypeOf) -> Pushdown:
    """Returns the predicate for a condition of pyarrow or polars."""
    match node:
        case And(nodes):
            parts = [push_down(node, type_of) for node in nodes]
            texts = [part.text for part in parts if part.text is not None]
            text = " and ".join(f"({text})" for text in texts) if texts else None
            return Pushdown(text, all(part.is_exact for part in parts))
        case Or(nodes):
            parts = [push_down(node, type_of) for node in nodes]
            texts = [part.text for part in parts if part.text is not None]
            if len(texts) < len(parts) or not texts:
                return Pushdown(None, False)
            text = " or ".join(f"({text})" for text in texts)
            return Pushdown(text, all(part.is_exact for part in parts))
        case Not(inner):
            part = push_down(inner, type_of)
            if part.text is None or not part.is_exact:
                return Pushdown(None, False)
            return Pushdown(f"not ({part.text})", True)
        case Unknown():
            return Pushdown(None, False)
        case IsIn(path, values):
            if not values:
                return Pushdown(None, False)
            return push_down(Or(tuple(Compare(path, "=", value) for value in values)), type_of)
        case Compare(path, operator, value):
            return _compare(path, operator, value, type_of(path))
        case _:
            return Pushdown(_text(node), True)


def _compare(path: Path, operator: str, value: Any, data_type: str | None) -> Pushdown:
    nothing = Pushdown(None, False)
    value = native(value)
    if value is None or data_type is None:
        return nothing
    column = quote(path)
    if data_type.startswith("Float"):
        # Others have NaN and negative zero at other places than the total order.
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return nothing
        if not math.isfinite(value) or abs(value) >= EXACT_INTEGERS and isinstance(value, int):
            return nothing
        if data_type != "Float64" and not _is_float32(float(value)):
            return nothing
        if value == 0 and operator in ("=", "<=", ">="):
            ranges = {"=": f"{column} >= -{TINY} and {column} <= {TINY}"}
            ranges |= {"<=": f"{column} <= {TINY}", ">=": f"{column} >= -{TINY}"}
            return Pushdown(ranges[operator], False)
        return Pushdown(f"{column} {operator} {literal(value)}", False)
    if isinstance(value, float) and (not math.isfinite(value) or abs(value) >= EXACT_INTEGERS):
        return nothing
    text = literal(value, data_type)
    return nothing if text is None else Pushdown(f"{column} {operator} {text}", True)


def _is_float32(value: float) -> bool:
    try:
        return bool(struct.unpack("<f", struct.pack("<f", value))[0] == value)
    except OverflowError:
        return False


def _text(node: Node) -> str:
    match node:
        case IsNull(path):
            return f"{quote(path)} is null"
        case IsTrue(path):
            return quote(path)
        case Like(path, pattern):
            return f"{quote(path)} like {literal(pattern)}"
    raise TypeError(f"not a condition: {node!r}")


def quote(path: Path) -> str:
    """Returns the text of a column."""
    return ".".join('"' + part.replace('"', '""') + '"' for part in path)


def literal(value: Any, data_type: str | None = None) -> str | None:
    """Returns the text of a literal; ``None`` if there is none."""
    value = native(value)
    match value:
        case bool():
            return "true" if value else "false"
        case int() | decimal.Decimal():
            return str(value)
        case float():
            return repr(value)
        case str():
            return "'" + value.replace("'", "''") + "'"
        case bytes():
            return f"x'{value.hex()}'"
        case datetime.datetime():
            return f"'{value.isoformat()}'"
        case datetime.date() | datetime.time():
            return f"'{value.isoformat()}'"
        case Instant():
            return value.text(data_type)
    return None


def native(value: Any) -> Any:
    """Returns the value of Python that a scalar of NumPy or pyarrow is; others as they are."""
    module = type(value).__module__.partition(".")[0]
    if module == "numpy" and type(value).__name__ == "datetime64":
        days = str(value.dtype) == "datetime64[D]"
        moment = value.astype("datetime64[D]" if days else "datetime64[ns]")
        return Instant(int(moment.astype("int64")), 0 if days else 10**9)
    if module == "numpy" and hasattr(value, "item") and not getattr(value, "ndim", 1):
        return value.item()
    return value.as_py() if module == "pyarrow" and hasattr(value, "as_py") else value


@dataclass(frozen=True)
class Instant:
    """A timestamp or date: units since 1970.

    Attributes:
        count: How many units.
        per_second: Units of a second; 0 for days.
        has_zone: Whether it has a time zone; ``None`` where it is that of the column.
    """

    count: int
    per_second: int
    has_zone: bool | None = None

    def text(self, data_type: str | None) -> str | None:
        """Returns the text of a literal for a column of this type; ``None`` if one of the two has a time zone alone."""
        has_zone = data_type is not None and data_type.startswith("Timestamp") and '"' in data_type
        if self.has_zone not in (None, has_zone):
            return None
        if self.per_second == 0:
            seconds, fraction = self.count * 86_400, 0
        else:
            seconds, fraction = divmod(self.count, self.per_second)
        try:
            moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=seconds)
        except OverflowError:
            return None
        if data_type is not None and data_type.startswith("Date"):
            if seconds % 86_400 or fraction:
                return None
            return f"'{moment.date().isoformat()}'"
        text = moment.isoformat()
        if fraction:
            digits = len(str(self.per_second)) - 1
            text += "." + f"{fraction:0{digits}}"
        return f"'{text}Z'" if has_zone else f"'{text}'"


def escape_pattern(text: str) -> str:
    """Returns the pattern that matches this text alone."""
    for character in "\\%_":
        text = text.replace(character, "\\" + character)
    return text


def from_tuples(filters: Sequence[Any]) -> str:
    """Returns the predicate of filters in the form of ``pyarrow.parquet``.

    A list of tuples is joined by ``and``; a list of such lists by ``or``.

    >>> from_tuples([("price", ">", 10), ("city", "in", ["Ulm", "Bonn"])])
    '"price" > 10 and "city" in (\\'Ulm\\', \\'Bonn\\')'
    """
    if not filters:
        raise ValueError("filters are empty")
    if all(isinstance(part, list) for part in filters):
        return " or ".join(f"({from_tuples(part)})" for part in filters)
    return " and ".join(_from_tuple(part) for part in filters)


def _from_tuple(part: Any) -> str:
    if not isinstance(part, tuple) or len(part) != 3:
        raise ValueError(f"{part!r}: a filter is (column, operator, value)")
    name, operator, value = part
    column = quote(tuple(name)) if isinstance(name, (list, tuple)) else quote((name,))
    if operator in ("in", "not in"):
        text = f"{column} {operator} ({', '.join(_value(one) for one in value)})"
        # In pyarrow null is in no set, and that is false.
        return text if operator == "in" else f"({text} or {column} is null)"
    if operator not in OPERATORS:
        raise ValueError(f"operator {operator!r} is none of {', '.join(OPERATORS)}, in, not in")
    return f"{column} {OPERATORS[operator]} {_value(value)}"


def _value(value: Any) -> str:
    text = literal(value)
    if text is None:
        raise ValueError(f"{value!r} cannot be compared with a column")
    return text
