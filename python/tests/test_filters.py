"""Conditions: they keep the rows that their library keeps."""

from __future__ import annotations

import datetime
import decimal
import io
import math
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import trevni
from trevni import _substrait
from trevni._expressions import push_down

F, C = pc.field, pl.col
MOMENT = datetime.datetime(2024, 1, 1, 10, 0, 0, 500_000)
FLOATS = [0.0, -0.0, 1.0, float("nan"), float("inf"), -math.inf, None, 0.1, -1.5, 2.0**60]


@pytest.fixture(scope="module")
def table() -> pa.Table:
    rows = 50
    floats = (FLOATS * rows)[:rows]
    moments = [MOMENT + datetime.timedelta(hours=i) for i in range(rows)]
    return pa.table(
        {
            "i": pa.array([None if i % 7 == 0 else i - 10 for i in range(rows)]),
            "f": pa.array(floats, pa.float64()),
            "g": pa.array(floats, pa.float32()),
            "s": pa.array([None if i % 11 == 0 else f"a{'%_'[i % 2]}b{i % 5}" for i in range(rows)]),
            "bin": pa.array([bytes([i % 3]) for i in range(rows)]),
            "flag": pa.array([[True, False, None][i % 3] for i in range(rows)]),
            "t": pa.array(moments, pa.timestamp("us")),
            "z": pa.array(moments, pa.timestamp("ms", "UTC")),
            "d": pa.array([moment.date() for moment in moments]),
            "dec": pa.array([decimal.Decimal(i) / 4 for i in range(rows)], pa.decimal128(9, 2)),
            "st": pa.array([{"x": i % 4, "a.b": str(i % 3)} for i in range(rows)]),
            'odd "name"': pa.array(range(rows)),
        }
    )


@pytest.fixture(scope="module")
def file(table: pa.Table) -> trevni.File:
    out = io.BytesIO()
    trevni.write_table(table, out, "pack", block_rows=5)
    return trevni.open(out)


UTC = datetime.UTC
EXPRESSIONS = [
    F("i") > 5,
    5 > F("i"),
    (F("i") > 5) & (F("s") == "a%b1"),
    (F("i") > 5) | (F("i") * 2 < -10),
    (F("i") * 2 > 10) & (F("i") < 20),
    ~(F("i") > 5),
    ~((F("i") > 5) & (F("s") == "a%b1")),
    ~(F("f") > 0.5),
    ~(F("i").is_null() | (F("i") > 3)),
    F("i").isin([1, 2, 30]),
    ~F("i").isin([1, 2, 30]),
    F("i").isin([1, None]),
    F("i").isin([]),
    F("s").isin(["a_b1", "a'b", ""]),
    F("s") == "it's",
    F("s").is_null(),
    F("s").is_valid(),
    pc.starts_with(F("s"), "a%"),
    pc.ends_with(F("s"), "b1"),
    pc.match_substring(F("s"), "_b"),
    pc.starts_with(F("s"), "A%", ignore_case=True),
    F("flag"),
    ~F("flag"),
    F("flag") == pa.scalar(False),
    F("bin") == b"\x01",
    F("t") > MOMENT + datetime.timedelta(hours=20),
    F("t") == MOMENT,
    F("z") <= MOMENT.replace(tzinfo=UTC),
    F("d") == datetime.date(2024, 1, 2),
    F("dec") >= decimal.Decimal("3.25"),
    F("st", "x") == 1,
    F("st", "a.b") == "2",
    F('odd "name"') < 3,
    F("i") == F("i"),
    F("f").is_nan(),
    F("f").is_null(nan_is_null=True),
    F("i") > 2.5,
    *[F(name) == value for name in "fg" for value in (0.0, -0.0, 0.1, 1.0)],
    *[F(name) >= value for name in "fg" for value in (0.0, -0.0, 0.1, 1.0)],
    *[F(name) <= value for name in "fg" for value in (0.0, -0.0, 0.1, 1.0)],
    *[F(name) > value for name in "fg" for value in (0.0, -0.0, 0.1, math.inf, 2.0**60)],
    *[F(name) < value for name in "fg" for value in (0.0, -0.0, 0.1, -math.inf)],
    *[F(name) != value for name in "fg" for value in (0.0, -0.0, 0.1)],
]


@pytest.mark.parametrize("expression", EXPRESSIONS, ids=str)
def test_expressions_of_pyarrow(expression: Any, table: pa.Table, file: trevni.File) -> None:
    expected = table.filter(expression)
    assert same(file.scan(where=expression).read_all().to_arrow(), expected)
    assert same(file.scan(["s"], expression).read_all().to_arrow(), expected.select(["s"]))
    part = file.scan(where=expression, offset=2, limit=3).read_all().to_arrow()
    assert same(part, expected.slice(2, 3))
    assert file.to_pyarrow_dataset().count_rows(expression) == len(expected)


POLARS = [
    C("i") > 5,
    5 > C("i"),
    (C("i") > 5) & (C("s") == "a%b1"),
    (C("i") > 5) | (C("i") * 2 < -10),
    (C("i") * 2 > 10) & (C("i") < 20),
    ~(C("i") > 5),
    ~(C("f") > 0.5),
    C("i").is_in([1, 2, 30]),
    ~C("i").is_in([1, 2, 30]),
    C("i").is_in([1, None]),
    C("s").is_in(["a_b1", "x"]),
    C("i").is_between(1, 5),
    C("i").is_between(1, 5, closed="none"),
    C("s").is_null(),
    C("s").is_not_null(),
    C("s").str.starts_with("a%"),
    C("s").str.ends_with("b1"),
    C("s").str.contains("_b", literal=True),
    C("s").str.to_uppercase() == "A%B1",
    C("flag"),
    ~C("flag"),
    C("bin") == b"\x01",
    C("t") > MOMENT + datetime.timedelta(hours=20),
    C("z") <= MOMENT.replace(tzinfo=UTC),
    C("d") == datetime.date(2024, 1, 2),
    C("st").struct.field("x") == 1,
    C('odd "name"') < 3,
    C("i").eq_missing(None),
    C("f").is_nan(),
    C("i").map_elements(lambda value: value > 5, return_dtype=pl.Boolean),
    *[C(name) == value for name in "fg" for value in (0.0, -0.0, 0.1, math.nan)],
    *[C(name) >= value for name in "fg" for value in (0.0, -0.0, 0.1, math.nan)],
    *[C(name) <= value for name in "fg" for value in (0.0, -0.0, 0.1, math.nan)],
    *[C(name) > value for name in "fg" for value in (0.0, -0.0, 0.1, 2.0**60)],
    *[C(name) != value for name in "fg" for value in (0.0, -0.0, 0.1)],
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("expression", POLARS, ids=str)
def test_expressions_of_polars(expression: pl.Expr, table: pa.Table, file: trevni.File) -> None:
    frame = pl.DataFrame(table)
    expected = frame.filter(expression)
    assert file.scan_polars().filter(expression).collect().equals(expected)
    assert file.scan_polars().filter(expression).select("s").collect().equals(expected.select("s"))
    assert file.scan_polars().filter(expression).head(3).collect().equals(expected.head(3))
    assert file.scan(where=expression).read_all().to_polars().equals(expected)


def test_tuples(table: pa.Table, file: trevni.File) -> None:
    cases: list[tuple[Any, Any]] = [
        ([("i", ">", 5), ("s", "==", "a%b1")], (F("i") > 5) & (F("s") == "a%b1")),
        ([[("i", ">", 30)], [("i", "<", -5)]], (F("i") > 30) | (F("i") < -5)),
        ([("i", "in", [1, 2])], F("i").isin([1, 2])),
        ([("i", "not in", [1, 2])], ~F("i").isin([1, 2])),
        ([("d", "=", datetime.date(2024, 1, 2))], F("d") == datetime.date(2024, 1, 2)),
        ([("t", "<=", MOMENT)], F("t") <= MOMENT),
        ([("dec", ">", decimal.Decimal("3.25"))], F("dec") > decimal.Decimal("3.25")),
        ([("bin", "=", b"\x01")], F("bin") == b"\x01"),
        ([(("st", "x"), "=", 1)], F("st", "x") == 1),
    ]
    for filters, expression in cases:
        assert same(file.scan(where=filters).read_all().to_arrow(), table.filter(expression))
    for wrong in [[], [("i", "~", 1)], [("i", 1)], [("i", "=", object())], 5]:
        with pytest.raises(trevni.ArgumentError):
            file.scan(where=wrong)


def test_what_is_pushed_down(table: pa.Table, file: trevni.File) -> None:
    def pushed(expression: Any) -> tuple[str | None, bool]:
        found = push_down(_substrait.nodes_of(expression, table.schema), file.schema._type_of)
        return found.text, found.is_exact

    assert pushed(F("i") > 5) == ('"i" > 5', True)
    assert pushed((F("i") > 5) & (F("i") * 2 > 3)) == ('("i" > 5)', False)
    assert pushed((F("i") > 5) | (F("i") * 2 > 3)) == (None, False)
    assert pushed(F("f") > 0.5) == ('"f" > 0.5', False)
    assert pushed(F("z") > MOMENT.replace(tzinfo=UTC)) == ("\"z\" > '2024-01-01T10:00:00.500000Z'", True)
    assert pushed(F("st", "a.b") == "2") == ('"st"."a.b" = \'2\'', True)


def same(read: pa.Table, expected: pa.Table) -> bool:
    """Compares tables; NaN is equal to NaN."""
    return bool(pl.DataFrame(read).equals(pl.DataFrame(expected))) and read.schema == expected.schema


def test_damaged_expressions_are_not_misread(table: pa.Table) -> None:
    class Expression:
        def __init__(self, data: bytes) -> None:
            self.data = data

        def to_substrait(self, schema: pa.Schema) -> bytes:
            return self.data

    whole = bytes(((F("i") > 5) & F("s").isin(["a"])).to_substrait(table.schema))
    for end in range(len(whole)):
        _substrait.nodes_of(Expression(whole[:end]), table.schema)
