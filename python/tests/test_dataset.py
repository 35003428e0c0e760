"""Data sets."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import trevni


@pytest.fixture
def table() -> pa.Table:
    return pa.table({"id": pa.array(range(1000)), "year": pa.array([2020 + i // 500 for i in range(1000)])})


def test_appends_and_overwrites(table: pa.Table, tmp_path: Path) -> None:
    path = tmp_path / "set"
    first = trevni.write_dataset(table, path, partition_by=["year"], codec="pack")
    assert (first.num_rows, first.commit, first.partitions, len(first.files)) == (1000, 1, ["year"], 2)
    assert first.files[0].path.startswith("year=2020/") and sum(f.num_rows for f in first.files) == 1000
    second = first.append(table.slice(0, 10))
    assert (first.num_rows, second.num_rows, second.commit) == (1000, 1010, 2)
    assert first.snapshot().num_rows == 1010
    third = trevni.write_dataset(table.slice(0, 5), path, mode="overwrite", partition_by=["year"])
    assert third.num_rows == trevni.dataset(path).num_rows == 5
    with pytest.raises(ValueError, match="mode"):
        trevni.write_dataset(table, path, mode="upsert")
    with pytest.raises(FileNotFoundError):
        trevni.dataset(tmp_path / "nope")


def test_scans(table: pa.Table, tmp_path: Path) -> None:
    rows = trevni.write_dataset(table, tmp_path / "set", partition_by=["year"])
    assert rows.columns == ["id", "year"] and "1000 rows in 2 files" in repr(rows)
    assert rows.to_arrow().sort_by("id").to_pydict() == table.to_pydict()
    assert rows.scan(["id"], "year = 2021 and id < 503").read_all().to_arrow()["id"].to_pylist() == [500, 501, 502]
    assert rows.scan(["year", "id"], limit=2).read_all().column_names == ["year", "id"]
    assert len(rows.scan(where=pc.field("year") == 2020).read_all()) == 500
    assert rows.scan_polars().filter(pl.col("year") == 2021).select("id").collect().height == 500
    dataset = rows.to_pyarrow_dataset()
    assert dataset.to_table(filter=pc.field("id") * 2 < 6).num_rows == 3
    assert pa.table(rows).num_rows == 1000


def test_failed_writes_leave_nothing(table: pa.Table, tmp_path: Path) -> None:
    path = tmp_path / "set"
    rows = trevni.write_dataset(table, path)
    before = sorted(p.name for p in path.rglob("*"))

    def batches():  # type: ignore[no-untyped-def]
        yield table.to_batches()[0]
        raise LookupError("gone")

    reader = pa.RecordBatchReader.from_batches(table.schema, batches())
    with pytest.raises(trevni.TrevniError, match="gone"):
        rows.append(reader)
    assert sorted(p.name for p in path.rglob("*")) == before
    assert rows.snapshot().num_rows == 1000
