"""Queries of datafusion over files and data sets, through the C interface."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import datafusion
import pyarrow as pa
import pytest
import trevni

import trevni_datafusion

ROWS = 200_000


@pytest.fixture
def table() -> pa.Table:
    return pa.table(
        {
            "id": pa.array(range(ROWS)),
            "name": pa.array([f"name {i // 1000}" for i in range(ROWS)]),
            "point": pa.array([{"x": i % 5, "y": float(i)} for i in range(ROWS)]),
        }
    )


def query(context: datafusion.SessionContext, sql: str) -> dict[str, Any]:
    return dict(context.sql(sql).to_pydict())


def test_files(table: pa.Table, tmp_path: Path) -> None:
    path = tmp_path / "a.trv"
    trevni.write_table(table, path, "pack")
    context = datafusion.SessionContext()
    context.register_table("t", trevni_datafusion.Table(path))
    assert query(context, "SELECT count(*) AS n, sum(id) AS s FROM t") == {"n": [ROWS], "s": [ROWS * (ROWS - 1) // 2]}
    sql = "SELECT name FROM t WHERE id = 150000 AND name LIKE 'name%'"
    assert query(context, sql) == {"name": ["name 150"]}
    assert query(context, "SELECT id FROM t ORDER BY id DESC LIMIT 2") == {"id": [ROWS - 1, ROWS - 2]}
    assert query(context, "SELECT point['y'] AS y FROM t WHERE point['x'] = 3 LIMIT 1") == {"y": [3.0]}
    sql = "SELECT count(*) AS n FROM t a JOIN t b ON a.id = b.id WHERE a.name = 'name 7'"
    assert query(context, sql) == {"n": [1000]}
    assert len(query(context, "SELECT id FROM t LIMIT 5")["id"]) == 5
    # The filter is in the reader, not above it.
    plan = str(context.sql("SELECT name FROM t WHERE id < 10").execution_plan())
    assert "FilterExec" not in plan and "LocalExec" in plan


def test_folders_and_data_sets(table: pa.Table, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    for n in range(3):
        trevni.write_table(table.slice(n * 100, 100), folder / f"{n}.trv")
    rows = trevni.write_dataset(table, tmp_path / "set", file_rows=50_000)
    context = datafusion.SessionContext()
    context.register_table("folder", trevni_datafusion.Table(folder))
    context.register_table("dataset", trevni_datafusion.Table(str(tmp_path / "set")))
    assert query(context, "SELECT count(*) AS n FROM folder WHERE id >= 150") == {"n": [150]}
    assert query(context, "SELECT max(id) AS m FROM dataset") == {"m": [ROWS - 1]}
    rows.append(table.slice(0, 1))
    assert query(context, "SELECT count(*) AS n FROM dataset") == {"n": [ROWS + 1]}


def test_errors(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"nope\.trv|No such file|not found"):
        trevni_datafusion.Table(tmp_path / "nope.trv")
    (tmp_path / "bad.trv").write_bytes(b"nothing")
    with pytest.raises(ValueError, match="malformed|unsupported"):
        trevni_datafusion.Table(tmp_path / "bad.trv")
    with pytest.raises(TypeError):
        trevni_datafusion.Table(5)  # type: ignore[arg-type]
