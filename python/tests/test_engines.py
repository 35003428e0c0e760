"""Other libraries query a file, and read only what a query needs."""

from __future__ import annotations

import io
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import trevni

ROWS = 1_000_000


class Counted(io.BytesIO):
    """Counts the bytes that are read."""

    count = 0

    def read(self, size: int | None = -1) -> bytes:
        data = super().read(size)
        self.count += len(data)
        return data


@pytest.fixture(scope="module")
def data() -> bytes:
    out = io.BytesIO()
    table = pa.table(
        {
            "id": pa.array(range(ROWS)),
            "value": pa.array([i * i * 7919 % 999_983 for i in range(ROWS)]),
            "name": pa.array([f"name {i // 1000}" for i in range(ROWS)]),
        }
    )
    trevni.write_table(table, out, "pack")
    return out.getvalue()


@pytest.fixture
def counted(data: bytes) -> Counted:
    return Counted(data)


# A block of each column, and what opening a file reads.
FEW = 65_536 + 600_000


def test_duckdb(counted: Counted, data: bytes) -> None:
    import duckdb

    base = duckdb.connect()
    base.register("rows", trevni.open(counted).to_pyarrow_dataset())
    assert base.sql("SELECT name, value FROM rows WHERE id = 700000").fetchall() == [
        ("name 700", 700000 * 700000 * 7919 % 999_983)
    ]
    assert counted.count < FEW < len(data) / 3
    assert base.sql("SELECT sum(id) FROM rows").fetchall() == [(ROWS * (ROWS - 1) // 2,)]
    assert counted.count < len(data) / 2
    sql = "SELECT count(*), max(value) FROM rows WHERE name IN ('name 5', 'name 7') AND value % 2 = 0"
    (result,) = base.sql(sql).fetchall()
    values = [i * i * 7919 % 999_983 for i in [*range(5000, 6000), *range(7000, 8000)]]
    even = [value for value in values if value % 2 == 0]
    assert result == (len(even), max(even))
    sql = "SELECT count(*) FROM rows a JOIN rows b ON a.id = b.value WHERE a.id < 10"
    assert base.sql(sql).fetchall()[0][0] >= 10


def test_polars(counted: Counted, data: bytes) -> None:
    import polars as pl

    frame = trevni.scan_polars(counted)
    found = frame.filter(pl.col("id") == 700_000).select("name").collect()
    assert found["name"].to_list() == ["name 700"]
    assert counted.count < FEW < len(data) / 3
    assert frame.select(pl.col("id").sum()).collect().item() == ROWS * (ROWS - 1) // 2
    assert counted.count < len(data) / 2
    grouped = frame.filter(pl.col("id") < 3000).group_by("name").len().sort("name").collect()
    assert grouped["len"].to_list() == [1000, 1000, 1000]
    assert frame.head(5).collect()["id"].to_list() == [0, 1, 2, 3, 4]
    joined = frame.join(frame.select("id"), left_on="value", right_on="id").filter(pl.col("id") < 10)
    assert joined.collect().height == 10


def test_datafusion(counted: Counted, data: bytes) -> None:
    import datafusion

    context = datafusion.SessionContext()
    context.register_dataset("rows", trevni.open(counted).to_pyarrow_dataset())

    def sql(text: str) -> dict[str, Any]:
        return dict(context.sql(text).to_pydict())

    assert sql("SELECT name FROM rows WHERE id = 700000") == {"name": ["name 700"]}
    assert counted.count < FEW < len(data) / 3
    assert list(sql("SELECT sum(id) AS s FROM rows").values()) == [[ROWS * (ROWS - 1) // 2]]
    assert counted.count < len(data) / 2


def test_pandas(counted: Counted, data: bytes) -> None:
    frame = trevni.read_table(counted, ["name"], [("id", "==", 700_000)]).to_pandas()
    assert frame["name"].tolist() == ["name 700"]
    assert counted.count < FEW < len(data) / 3
    import pandas as pd

    again = pd.DataFrame.from_arrow(trevni.open(counted))
    assert len(again) == ROWS and again["id"].sum() == ROWS * (ROWS - 1) // 2


def test_pyarrow_dataset(data: bytes) -> None:
    import pyarrow.compute as pc
    import pyarrow.dataset as ds

    table = trevni.open(data).to_arrow()
    rows = trevni.open(data).to_pyarrow_dataset()
    assert isinstance(rows, ds.Dataset) and rows.schema == table.schema
    few = pc.field("id") < 5
    assert rows.to_table(columns=["id"], filter=few).to_pydict() == {"id": [0, 1, 2, 3, 4]}
    doubled = rows.scanner(columns={"double": pc.field("id") * 2}, filter=few).to_table()
    assert doubled.to_pydict() == {"double": [0, 2, 4, 6, 8]}
    assert rows.filter(few).filter(pc.field("id") > 2).count_rows() == 2
    assert rows.count_rows() == ROWS
    assert rows.head(3, columns=["id"]).to_pydict() == {"id": [0, 1, 2]}
    assert rows.filter(few).take([1, 0]).column("id").to_pylist() == [1, 0]
    assert rows.take([7]).column("id").to_pylist() == [7]
    assert sum(batch.num_rows for batch in rows.to_batches(batch_size=1000)) == ROWS
    assert rows.replace_schema(rows.schema.remove_metadata()).count_rows() == ROWS


def test_pickle(data: bytes, tmp_path: Path) -> None:
    import pickle

    path = tmp_path / "a.trv"
    path.write_bytes(data)
    file = pickle.loads(pickle.dumps(trevni.open(path)))
    assert file.num_rows == ROWS
    rows = pickle.loads(pickle.dumps(file.to_pyarrow_dataset()))
    assert rows.count_rows() == ROWS


def test_public_methods() -> None:
    import public_methods

    assert public_methods.missing() == []
    programs = public_methods.programs()
    with ThreadPoolExecutor() as pool:
        failures = dict(zip(programs, pool.map(public_methods.failure, programs.values()), strict=True))
    assert len(failures) > 100
    assert {call: why for call, why in failures.items() if why} == {}
