"""The package as users of pandas, polars and pyarrow use it: sources, columns, conditions, limits, exceptions."""

from __future__ import annotations

import datetime
import errno
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy
import pandas
import polars
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import trevni


@pytest.fixture
def path(tmp_path: Path) -> Path:
    table = pa.table(
        {
            "id": pa.array(range(100), pa.int64()),
            "x": pa.array([i / 2 for i in range(100)]),
            "at": pa.array([i * 10**6 for i in range(100)], pa.timestamp("us", "UTC")),
            "k": pa.array([f"v{i % 3}" for i in range(100)]),
        }
    )
    trevni.write_table(table, tmp_path / "a.trv")
    return tmp_path / "a.trv"


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview, pa.py_buffer])
def test_buffers(path: Path, kind: Any) -> None:
    data = kind(path.read_bytes())
    assert trevni.open(data).num_rows == 100
    assert trevni.read_table(data).num_rows == 100
    assert trevni.verify(data)


def test_several_files(path: Path) -> None:
    other = path.with_name("b.trv")
    trevni.write_table(pa.table({"id": pa.array([1000], pa.int32())}), other)
    lists = [[path, other], [str(path), str(other)], (other, path), str(path.with_name("?.trv"))]
    for source in [*lists, path.parent, str(path.parent)]:
        rows = trevni.open(source)
        assert rows.num_rows == 101 and rows.columns == ["id", "x", "at", "k"]
        assert trevni.read_table(source, "id", "id >= 99").to_arrow().column("id").to_pylist() in (
            [99, 1000],
            [1000, 99],
        )
        assert trevni.scan_polars(source).select(polars.col("id").max()).collect().item() == 1000
        assert trevni.verify(source)
        assert trevni.dataset(source).num_rows == 101
    assert trevni.read_table([other, path], "id", limit=1).to_arrow().column("id").to_pylist() == [1000]
    with pytest.raises(trevni.NotFoundError):
        trevni.open(str(path.with_name("x*.trv")))
    with pytest.raises(trevni.ArgumentError):
        trevni.open([])


def test_a_column_is_not_its_letters(path: Path) -> None:
    assert trevni.read_table(path, columns="id").column_names == ["id"]
    assert trevni.open(path).take([3], "id").to_arrow().to_pydict() == {"id": [3]}
    assert trevni.open(path).to_pyarrow_dataset().to_table(columns=["id"]).column_names == ["id"]


def test_columns_with_dots(tmp_path: Path) -> None:
    import duckdb

    table = pa.table({"a": pa.array([{"b": 1}, {"b": 2}]), "a.b": ["x", "y"], 'q"': [5, 6]})
    trevni.write_table(table, tmp_path / "a.trv", statistics=["a.b"])
    file = trevni.open(tmp_path / "a.trv")
    assert file.scan(["a.b"]).to_arrow().read_all().to_pydict() == {"a.b": ["x", "y"]}
    assert file.scan(['"a.b"']).to_arrow().read_all().to_pydict() == {"a.b": ["x", "y"]}
    assert file.scan(['"a".b']).to_arrow().read_all().to_pydict() == {"a": [{"b": 1}, {"b": 2}]}
    assert file.scan(['q"']).to_arrow().read_all().to_pydict() == {'q"': [5, 6]}
    for name in table.column_names:
        assert file.scan([name]).to_arrow().read_all() == table.select([name])
    statistics = file.statistics("a.b")
    assert statistics is not None and (statistics.min, statistics.max) == ("x", "y")
    assert file.statistics('"a".b') is None
    rows = file.to_pyarrow_dataset()
    assert duckdb.sql('select "a.b", a.b as c, "q""" from rows where "a.b" = \'y\'').fetchall() == [("y", 2, 6)]
    assert rows.to_table(filter=pc.field("a.b") == "y").num_rows == 1
    assert rows.to_table(filter=pc.field("a", "b") == 2).num_rows == 1
    frame = file.scan_polars()
    assert frame.filter(polars.col("a.b") == "x").select("a.b").collect().to_dict(as_series=False) == {"a.b": ["x"]}
    assert frame.filter(polars.col("a").struct.field("b") == 2).collect().height == 1


def test_scalars_of_numpy(path: Path) -> None:
    cases: list[tuple[str, str, Any, int]] = [
        ("x", ">", numpy.float64(49), 1),
        ("x", "<=", numpy.float32(0.5), 2),
        ("id", "==", numpy.int32(7), 1),
        ("id", "in", numpy.array([1, 2, 300]), 2),
        ("id", "in", {5, 6}, 2),
        ("k", "=", numpy.str_("v0"), 34),
        ("at", ">=", numpy.datetime64("1970-01-01T00:01:39"), 1),
        ("at", ">=", pandas.Timestamp("1970-01-01T00:01:39Z"), 1),
        ("id", "=", pa.scalar(7), 1),
    ]
    for column, operator, value, rows in cases:
        assert trevni.read_table(path, filters=[(column, operator, value)]).num_rows == rows, (column, operator, value)
    assert trevni.read_table(path, filters=polars.lit(True)).num_rows == 100
    assert trevni.read_table(path, filters=polars.lit(False)).num_rows == 0
    assert trevni.read_table(path, "id", polars.lit(True) & (polars.col("id") < 3)).num_rows == 3
    assert trevni.read_table(path, filters=pc.scalar(True)).num_rows == 100


def test_moments_without_a_zone(path: Path) -> None:
    naive = datetime.datetime(1970, 1, 1, 0, 1)
    lazy = trevni.scan_polars(path)
    with pytest.raises(polars.exceptions.PolarsError):
        trevni.open(path).to_polars().lazy().filter(polars.col("at") > naive).collect()
    with pytest.raises(polars.exceptions.PolarsError):
        lazy.filter(polars.col("at") > naive).collect()
    zoned = naive.replace(tzinfo=datetime.UTC)
    assert lazy.filter(polars.col("at") > zoned).collect().height == 39


def test_limits(tmp_path: Path) -> None:
    path = tmp_path / "long.trv"
    trevni.write_table(pa.table({"s": ["x" * (3 << 20), "y"]}), path, codec="deflate")
    for read in (trevni.read_table, lambda *a, **k: trevni.scan_polars(*a, **k).collect()):
        with pytest.raises(Exception, match="limit"):
            read(path, memory_limit=1 << 20)
    assert trevni.read_table(path, memory_limit=64 << 20).num_rows == 2
    assert trevni.dataset([path], memory_limit=64 << 20).read_all().num_rows == 2
    with pytest.raises(trevni.LimitError):
        trevni.dataset([path], memory_limit=1 << 20).read_all()
    seen = trevni.verify(path, memory_limit=1 << 20)
    assert not seen and seen.faults == [] and isinstance(seen.exceeded[0], trevni.LimitError)
    assert trevni.verify(path) and trevni.verify(path).exceeded == []


def test_exceptions(path: Path) -> None:
    file = trevni.open(path)
    with pytest.raises(FileNotFoundError) as missing:
        trevni.open(path.with_name("none.trv"))
    assert isinstance(missing.value, trevni.TrevniError)
    assert missing.value.errno == errno.ENOENT and "none.trv" in str(missing.value.filename)
    reader = file.scan()
    reader.read_all()
    writer = trevni.Writer(path.with_name("c.trv"), file.schema)
    writer.close()
    wrong: list[tuple[Any, type[Exception], bool]] = [
        (lambda: file.scan(limit=-1), ValueError, True),
        (lambda: file.scan(batch_size=0), ValueError, True),
        (lambda: reader.read_all(), ValueError, True),
        (lambda: writer.write(file), ValueError, True),
        (lambda: file.scan(["none"]), ValueError, True),
        (lambda: trevni.write_table(file, path.with_name("d.trv"), codec="best"), ValueError, True),
        (lambda: trevni.write_dataset(file, path.with_name("d"), mode="replace"), ValueError, True),
        (lambda: file.take([100]), IndexError, False),
        (lambda: file.take([-1]), IndexError, False),
        (lambda: trevni.open(5), TypeError, False),
        (lambda: trevni.write_table(file, path.with_name("d.trv"), codex="pack"), TypeError, False),
    ]
    for call, kind, ours in wrong:
        with pytest.raises(kind) as error:
            call()
        assert isinstance(error.value, trevni.TrevniError) == ours


def test_pickle_of_values(path: Path) -> None:
    table = trevni.read_table(path)
    again = pickle.loads(pickle.dumps(table))
    assert again.to_arrow() == table.to_arrow()
    assert pickle.loads(pickle.dumps(table.schema)).to_arrow() == table.schema.to_arrow()
    rows = trevni.dataset([path, path], memory_limit=1 << 30)
    assert pickle.loads(pickle.dumps(rows)).num_rows == 200


def test_categories_are_partitions(path: Path, tmp_path: Path) -> None:
    frame = trevni.read_table(path).to_pandas()
    frame["k"] = frame["k"].astype("category")
    rows = trevni.write_dataset(pa.Table.from_pandas(frame, preserve_index=False), tmp_path / "c", partition_by="k")
    assert sorted(file.path.split("/")[0] for file in rows.files) == ["k=v0", "k=v1", "k=v2"]
    assert rows.scan("id", "k = 'v1'").read_all().num_rows == 33
    again = rows.append(frame)
    assert again.num_rows == 200 and again.partitions == ["k"]
    lazy = polars.DataFrame({"k": ["a", "b"], "n": [1, 2]}).with_columns(polars.col("k").cast(polars.Categorical))
    assert trevni.write_dataset(lazy, tmp_path / "p", partition_by=["k"]).num_rows == 2


def test_a_data_set_keeps_its_partitions(path: Path, tmp_path: Path) -> None:
    file = trevni.open(path)
    rows = trevni.write_dataset(file, tmp_path / "t", partition_by=["k"], codec="pack")
    for mode in ("overwrite", "append"):
        rows = trevni.write_dataset(file, tmp_path / "t", mode=mode)
        assert rows.partitions == ["k"]
        codecs = {trevni.open(tmp_path / "t" / data.path).metadata["trevni.codec"] for data in rows.files}
        assert codecs == {b"pack"}, mode
    with pytest.raises(FileExistsError):
        trevni.write_dataset(file, tmp_path / "t", mode="error")
    assert trevni.write_dataset(file, tmp_path / "t", mode="overwrite", partition_by=[]).partitions == []


def test_a_zone_with_a_nul_is_refused(path: Path) -> None:
    import base64

    data = path.read_bytes()
    start = data.index(b"ARROW:schema")
    text = trevni.open(path).metadata["ARROW:schema"]
    changed = base64.b64encode(base64.b64decode(text).replace(b"UTC", b"U\0C"))
    at = data.index(text, start)
    broken = path.with_name("nul.trv")
    broken.write_bytes(data[:at] + changed + data[at + len(text) :])
    # In a process of its own, which must not abort.
    code = (
        f"import trevni\ntry:\n  trevni.open({str(broken)!r}).to_arrow()\nexcept trevni.DataError as e:\n  print(e)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "NUL" in done.stdout, done
