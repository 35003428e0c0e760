"""Expressions of pyarrow, read from their Substrait form: pyarrow has no other that can be taken apart.

::

    ExtendedExpression   extensions: number ──► name of a function      referred_expr: the expression
    Expression           literal │ selection │ scalar_function │ singular_or_list
"""

from __future__ import annotations

import decimal
import struct
from typing import Any

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
    Unknown,
    escape_pattern,
)

Message = dict[int, list[Any]]
COMPARISONS = {"equal": "=", "not_equal": "!=", "lt": "<", "lte": "<=", "gt": ">", "gte": ">="}
PATTERNS = {"starts_with": "{}%", "ends_with": "%{}", "contains": "%{}%"}
# Names of the fields of ``Expression.Literal`` by number.
BOOLEAN, STRING, BINARY, DECIMAL, FIXED_BINARY, DATE = 1, 12, 13, 24, 23, 16
INTEGERS = (2, 3, 5, 7)
FLOATS = {10: "<f", 11: "<d"}
# Timestamps in microseconds, and those with a precision of their own.
MICROSECONDS = (14, 27)
PRECISION_TIMESTAMPS = (34, 35)


class _Literal:
    def __init__(self, value: Any) -> None:
        self.value = value


def nodes_of(expression: Any, schema: Any) -> Node:
    """Returns the nodes of an expression over the columns of a ``pyarrow.Schema``."""
    try:
        data = bytes(expression.to_substrait(schema))
    except Exception:
        return Unknown()
    try:
        return _Reader(parse(data), schema).root()
    except (AttributeError, IndexError, KeyError, TypeError, ValueError, struct.error):
        return Unknown()


def parse(data: bytes) -> Message:
    """Returns the fields of a message of Protocol Buffers, by number."""
    fields: Message = {}
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        number, kind = tag >> 3, tag & 7
        value: Any
        if kind == 0:
            value, at = _varint(data, at)
        elif kind == 1:
            value, at = data[at : at + 8], at + 8
        elif kind == 2:
            size, at = _varint(data, at)
            value, at = data[at : at + size], at + size
        elif kind == 5:
            value, at = data[at : at + 4], at + 4
        else:
            raise ValueError(f"wire type {kind}")
        fields.setdefault(number, []).append(value)
    return fields


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def _signed(value: int) -> int:
    return value - (1 << 64) if value >> 63 else value


class _Reader:
    def __init__(self, message: Message, schema: Any) -> None:
        self.schema = schema
        self.message = message
        self.functions: dict[int, str] = {}
        for declaration in message.get(2, []):
            for function in parse(declaration).get(3, []):
                fields = parse(function)
                name = fields[3][0].decode().split(":")[0]
                self.functions[fields.get(2, [0])[0]] = name

    def root(self) -> Node:
        (reference,) = self.message[3]
        return self.condition(parse(parse(reference)[1][0]))

    def condition(self, expression: Message) -> Node:
        if 2 in expression:
            return IsTrue(self.path(expression))
        if 3 in expression:
            return self.call(parse(expression[3][0]))
        if 8 in expression:
            choice = parse(expression[8][0])
            options = [self.operand(parse(option)) for option in choice[2]]
            values = tuple(one.value for one in options if isinstance(one, _Literal))
            path = self.operand(parse(choice[1][0]))
            if isinstance(path, tuple) and len(values) == len(options):
                # Null is in no set, and that is false.
                return And((Not(IsNull(path)), IsIn(path, values)))
        return Unknown()

    def call(self, function: Message) -> Node:
        name = self.functions[function.get(1, [0])[0]]
        arguments = [parse(parse(argument)[3][0]) for argument in function.get(4, [])]
        if name in ("and", "or"):
            nodes = tuple(self.condition(argument) for argument in arguments)
            return And(nodes) if name == "and" else Or(nodes)
        if name == "not":
            return Not(self.condition(arguments[0]))
        operands = [self.operand(argument) for argument in arguments]
        match name, operands:
            case "is_null", [tuple(path)]:
                return IsNull(path)
            case "is_not_null", [tuple(path)]:
                return Not(IsNull(path))
            case _, [tuple(path), _Literal() as value] if name in COMPARISONS:
                return Compare(path, COMPARISONS[name], value.value)
            case _, [_Literal() as value, tuple(path)] if name in COMPARISONS:
                return Compare(path, FLIPPED[COMPARISONS[name]], value.value)
            case _, [tuple(path), _Literal() as value] if name in PATTERNS:
                return self.pattern(name, path, value.value, function)
        return Unknown()

    def pattern(self, name: str, path: Path, value: Any, function: Message) -> Node:
        options = [parse(option) for option in function.get(5, [])]
        if not isinstance(value, str) or any(b"INSENSITIVE" in o.get(2, [b""])[0] for o in options):
            return Unknown()
        return Like(path, PATTERNS[name].format(escape_pattern(value)))

    def operand(self, expression: Message) -> Path | _Literal | None:
        if 1 in expression:
            return _literal(parse(expression[1][0]))
        return self.path(expression) if 2 in expression else None

    def path(self, expression: Message) -> Path:
        segment = parse(parse(expression[2][0])[1][0])
        fields, names = self.schema, []
        while True:
            struct_field = parse(segment[2][0])
            field = fields.field(struct_field.get(1, [0])[0])
            names.append(field.name)
            if 2 not in struct_field:
                return tuple(names)
            segment, fields = parse(struct_field[2][0]), field.type


def _literal(fields: Message) -> _Literal | None:
    (number, values), *_ = [pair for pair in fields.items() if pair[0] not in (50, 51)]
    value = values[0]
    if number == BOOLEAN:
        return _Literal(bool(value))
    if number in INTEGERS:
        return _Literal(_signed(value))
    if number in FLOATS:
        return _Literal(struct.unpack(FLOATS[number], value)[0])
    if number == STRING:
        return _Literal(value.decode())
    if number in (BINARY, FIXED_BINARY):
        return _Literal(bytes(value))
    if number == DATE:
        return _Literal(Instant(_signed(value), 0))
    if number in MICROSECONDS:
        return _Literal(Instant(_signed(value), 1_000_000))
    if number in PRECISION_TIMESTAMPS:
        stamp = parse(value)
        return _Literal(Instant(_signed(stamp.get(2, [0])[0]), 10 ** stamp.get(1, [0])[0]))
    if number == DECIMAL:
        parts = parse(value)
        unscaled = int.from_bytes(parts[1][0], "little", signed=True)
        with decimal.localcontext() as context:
            context.prec = 80
            return _Literal(decimal.Decimal(unscaled).scaleb(-_signed(parts.get(3, [0])[0])))
    return None
