"""Files, from and to every kind of place."""

from __future__ import annotations

import datetime
import decimal
import io
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hypothesis
import hypothesis.strategies as st
import pyarrow as pa
import pytest

import trevni

CODECS = ["null", "snappy", "deflate", "bzip2", "zstd", "lz4", "pack", "pack+zstd"]


def _dictionary() -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array([0, None, 1], pa.int16()), pa.array(["x", "y"]))


def _union(mode: str) -> pa.Array:
    kinds = pa.array([0, 1, 0], pa.int8())
    if mode == "dense":
        children = [pa.array([1, 2]), pa.array(["a"])]
        return pa.UnionArray.from_dense(kinds, pa.array([0, 0, 1], pa.int32()), children)
    return pa.UnionArray.from_sparse(kinds, [pa.array([1, 0, 2]), pa.array(["", "a", ""])])


def _arrays() -> dict[str, pa.Array]:
    arrays = {
        "null": pa.nulls(3),
        "bool": pa.array([True, None, False]),
        "float16": pa.array([1.5, None, 2.0], pa.float16()),
        "fixed_size_binary": pa.array([b"abc", None, b"def"], pa.binary(3)),
        "list": pa.array([[1, None], None, []], pa.list_(pa.int32())),
        "large_list": pa.array([["a"], None, []], pa.large_list(pa.string())),
        "list_view": pa.array([[1, 2], None, []], pa.list_view(pa.int64())),
        "fixed_size_list": pa.array([[1, 2], None, [3, 4]], pa.list_(pa.int8(), 2)),
        "struct": pa.array([{"a": 1, "b": "x"}, None, {"a": None, "b": "y"}]),
        "map": pa.array([[("k", 1)], None, []], pa.map_(pa.string(), pa.int32())),
        "nested": pa.array([[{"a": [1, None]}], None, [None]]),
        "dictionary": _dictionary(),
        "run_end_encoded": pa.RunEndEncodedArray.from_arrays([2, 3], pa.array(["a", None])),
        "dense_union": _union("dense"),
        "sparse_union": _union("sparse"),
        "interval": pa.array([pa.MonthDayNano([1, 2, 3]), None, pa.MonthDayNano([-1, 0, 5])]),
    }
    for kind in ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]:
        arrays[kind] = pa.array([1, None, 100], getattr(pa, kind)())
    for kind in ["float32", "float64"]:
        arrays[kind] = pa.array([0.1, None, float("-inf")], getattr(pa, kind)())
    for kind in ["string", "large_string", "string_view"]:
        arrays[kind] = pa.array(["a", None, "ü" * 40], getattr(pa, kind)())
    for kind in ["binary", "large_binary", "binary_view"]:
        arrays[kind] = pa.array([b"a", None, b"\xff" * 40], getattr(pa, kind)())
    for bits, digits in [(32, 9), (64, 18), (128, 38), (256, 76)]:
        values = [decimal.Decimal("1.20"), None, decimal.Decimal("-3.45")]
        arrays[f"decimal{bits}"] = pa.array(values, getattr(pa, f"decimal{bits}")(digits, 2))
    moments = [0, None, 1_700_000_000]
    for unit in ["s", "ms", "us", "ns"]:
        for zone in [None, "UTC", "Europe/Berlin"]:
            arrays[f"timestamp_{unit}_{zone}"] = pa.array(moments, pa.timestamp(unit, zone))
        arrays[f"duration_{unit}"] = pa.array(moments, pa.duration(unit))
    days = [datetime.date(1969, 1, 1), None, datetime.date(2026, 1, 2)]
    arrays |= {"date32": pa.array(days, pa.date32()), "date64": pa.array(days, pa.date64())}
    for kind in [pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns")]:
        arrays[str(kind)] = pa.array([0, None, 86_399], kind)
    return arrays


ARRAYS = _arrays()


@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("codec", ["snappy", "pack"])
def test_every_type_comes_back(name: str, codec: str, tmp_path: Path) -> None:
    table = pa.table({"column": ARRAYS[name]})
    path = tmp_path / "a.trv"
    trevni.write_table(table, path, codec)
    read = trevni.read_table(path).to_arrow()
    assert read.schema == table.schema
    assert read.combine_chunks().equals(table.combine_chunks())
    read.validate(full=True)


values = st.one_of(
    st.lists(st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1))).map(lambda v: pa.array(v, pa.int64())),
    st.lists(st.one_of(st.none(), st.floats(allow_nan=False))).map(lambda v: pa.array(v, pa.float64())),
    st.lists(st.one_of(st.none(), st.text())).map(lambda v: pa.array(v, pa.string())),
    st.lists(st.one_of(st.none(), st.binary())).map(lambda v: pa.array(v, pa.binary())),
    st.lists(st.one_of(st.none(), st.booleans())).map(lambda v: pa.array(v, pa.bool_())),
    st.lists(st.one_of(st.none(), st.lists(st.one_of(st.none(), st.integers(-9, 9))))).map(
        lambda v: pa.array(v, pa.list_(pa.int32()))
    ),
    st.lists(st.one_of(st.none(), st.fixed_dictionaries({"a": st.integers(0, 9), "b": st.text()}))).map(
        lambda v: pa.array(v, pa.struct([("a", pa.int64()), ("b", pa.string())]))
    ),
)


@hypothesis.settings(deadline=None, max_examples=200)
@hypothesis.given(
    columns=st.lists(values, min_size=1, max_size=4),
    codec=st.sampled_from(CODECS),
    block_rows=st.one_of(st.none(), st.integers(1, 50)),
    batch_size=st.integers(1, 50),
)
def test_random_tables_come_back(columns: list[pa.Array], codec: str, block_rows: int | None, batch_size: int) -> None:
    rows = min(len(column) for column in columns)
    table = pa.table({str(i): column.slice(0, rows) for i, column in enumerate(columns)})
    out = io.BytesIO()
    trevni.write_table(table, out, codec, block_rows=block_rows)
    file = trevni.open(out.getvalue())
    read = file.scan(batch_size=batch_size).read_all().to_arrow()
    assert read.equals(table) or read.combine_chunks().equals(table.combine_chunks())


@pytest.fixture(scope="module")
def table() -> pa.Table:
    ids = pa.array(range(100_000))
    names = pa.array([f"name {i % 97}" for i in range(100_000)])
    points = pa.array([{"x": i % 5, "y": i % 3} for i in range(100_000)])
    return pa.table({"id": ids, "name": names, "point": points})


@pytest.fixture(scope="module")
def path(table: pa.Table, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("files") / "a.trv"
    trevni.write_table(table, path, "pack", metadata={"owner": "me"}, bloom_filters=["name"])
    return path


def test_sources(table: pa.Table, path: Path) -> None:
    data = path.read_bytes()
    with path.open("rb") as file:
        for source in [path, str(path), data, io.BytesIO(data), file, f"file://{path}"]:
            assert trevni.open(source).to_arrow().equals(table)
    for source in [5, None, [5]]:
        with pytest.raises(TypeError):
            trevni.open(source)


def test_targets(table: pa.Table, tmp_path: Path) -> None:
    out = io.BytesIO()
    assert trevni.write_table(table, out) == len(out.getvalue())
    path = tmp_path / "a.trv"
    trevni.write_table(table, f"file://{path}", "snappy")
    assert path.read_bytes() == out.getvalue()
    with (tmp_path / "b.trv").open("wb") as file:
        trevni.write_table(table, file)
    assert (tmp_path / "b.trv").read_bytes() == out.getvalue()


def test_data_of_all_kinds(table: pa.Table, path: Path, tmp_path: Path) -> None:
    import duckdb
    import polars

    batch = table.slice(0, 10).to_batches()[0]
    file = trevni.open(path)
    copies = [table, table.to_reader(), batch, polars.from_arrow(table), file, file.read_all()]
    copies += [file.scan(), duckdb.from_arrow(table), table.to_pandas().drop(columns="point")]
    for data in copies:
        trevni.write_table(data, tmp_path / "b.trv")
        rows = trevni.open(tmp_path / "b.trv")
        assert rows.num_rows == (10 if data is batch else 100_000)
        assert rows.scan(["id"], limit=3).read_all().to_arrow()["id"].to_pylist() == [0, 1, 2]


def test_description(table: pa.Table, path: Path) -> None:
    file = trevni.open(path)
    assert (file.num_rows, len(file), file.columns) == (100_000, 100_000, table.column_names)
    assert file.nbytes == path.stat().st_size
    assert file.metadata["owner"] == b"me"
    assert file.codecs == ["pack"] * len(file.codecs)
    assert file.schema.to_arrow() == table.schema
    assert pa.schema(file) == table.schema
    assert "id: Int64" in repr(file)
    assert file._repr_html_().count("<tr>") == 11
    assert "<script>" not in trevni.Table(pa.table({"<script>": ["<script>"]}))._repr_html_()


def test_statistics(path: Path) -> None:
    file = trevni.open(path)
    ids, names = file.statistics("id"), file.statistics("name")
    assert ids is not None and names is not None
    assert (ids.min, ids.max, ids.null_count, ids.is_exact) == (0, 99_999, 0, True)
    assert (names.min, names.max) == ("name 0", "name 96")
    blocks = ids.blocks().to_arrow().to_pydict()
    assert sum(blocks["num_rows"]) == 100_000 and blocks["min"][0] == 0
    inner = file.statistics("point.x")
    assert inner is not None and inner.max == 4
    out = io.BytesIO()
    trevni.write_table(pa.table({"a": [1], "b": [2]}), out, statistics=["b"])
    assert trevni.open(out).statistics("a") is None
    assert trevni.open(out).statistics("b") is not None


def test_projection_and_rows(table: pa.Table, path: Path) -> None:
    file = trevni.open(path)
    assert file.scan(["name", "id"]).read_all().column_names == ["name", "id"]
    assert file.scan(["point.y"]).read_all().to_arrow()["point"][1].as_py() == {"y": 1}
    assert file.scan([]).read_all().num_rows == 100_000
    part = file.scan(offset=10, limit=5).read_all().to_arrow()
    assert part.equals(table.slice(10, 5))
    part = file.scan(where="id >= 50", offset=10, limit=5).read_all().to_arrow()
    assert part.equals(table.slice(60, 5))
    with pytest.raises(trevni.ArgumentError, match="nope"):
        file.scan(["nope"])


def test_take(table: pa.Table, path: Path) -> None:
    file = trevni.open(path)
    for rows in [[], [5], [99_999, 3, 3, 0], list(range(0, 100_000, 777))]:
        assert file.take(rows).to_arrow().equals(table.take(pa.array(rows, pa.int64())))
    assert file.take([7], ["name"]).column_names == ["name"]
    with pytest.raises(IndexError):
        file.take([100_000])
    with pytest.raises(IndexError):
        file.take([-1])


def test_reads_parts() -> None:
    rows = 1_000_000
    table = pa.table({"a": pa.array(range(rows)), "b": pa.array([i * 7919 % 999_983 for i in range(rows)])})
    out = io.BytesIO()
    trevni.write_table(table, out, "pack")
    size = len(out.getvalue())
    cases: list[tuple[str, Any, float]] = [
        ("take", lambda file: file.take([500_000]), 0.1),
        ("column", lambda file: file.scan(["a"]).read_all(), 0.5),
        ("filter", lambda file: file.scan(where="a = 700000").read_all(), 0.1),
        ("limit", lambda file: file.scan(limit=10).read_all(), 0.1),
        ("all", lambda file: file.read_all(), 1.1),
    ]
    for name, read, part in cases:
        counted = CountingFile(out.getvalue())
        read(trevni.open(counted))
        assert counted.bytes <= 65_536 + part * size, name
        assert name != "all" or counted.bytes >= 0.9 * size


class CountingFile(io.BytesIO):
    """Counts the bytes that are read."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.bytes = 0

    def read(self, size: int | None = -1) -> bytes:
        data = super().read(size)
        self.bytes += len(data)
        return data


def test_writer_appears_whole_or_not(table: pa.Table, tmp_path: Path) -> None:
    path = tmp_path / "a.trv"
    with trevni.Writer(path, table.schema, codec="pack") as writer:
        for batch in table.to_batches():
            writer.write(batch)
        assert not path.exists()
    assert writer.closed and trevni.open(path).num_rows == len(table)
    before = path.read_bytes()
    with pytest.raises(KeyError), trevni.Writer(path, table.schema) as writer:
        writer.write(table)
        raise KeyError
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.trv"]
    with pytest.raises(ValueError, match="closed"):
        writer.write(table)
    with pytest.raises(trevni.TrevniError), trevni.Writer(tmp_path / "b.trv", table.schema) as writer:
        writer.write(pa.table({"id": ["text"]}))
    assert not (tmp_path / "b.trv").exists()


def test_options(table: pa.Table, tmp_path: Path) -> None:
    path = tmp_path / "a.trv"
    flat = table.drop_columns("point")
    trevni.write_table(flat, path, "zstd", level=9, column_codecs={"id": "pack"}, sorting=["id"], checksum=False)
    assert {"pack", "zstd"} <= set(trevni.open(path).codecs)
    assert trevni.verify(path).verified == 0
    for wrong in [{"codec": "nope"}, {"statistics": ["nope"]}, {"layout": "nope"}, {"column_codecs": {"x": "null"}}]:
        with pytest.raises((trevni.ArgumentError, trevni.UnsupportedError)):
            trevni.write_table(flat, tmp_path / "b.trv", **wrong)
    with pytest.raises(TypeError):
        trevni.write_table(flat, tmp_path / "b.trv", compression="snappy")
    with pytest.raises(trevni.ArgumentError, match="before"):
        trevni.write_table(flat, tmp_path / "b.trv", sorting=["-id"])
    assert not (tmp_path / "b.trv").exists()


def test_errors(path: Path, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as missing:
        trevni.open(tmp_path / "nope.trv")
    assert isinstance(missing.value, trevni.TrevniError) and "nope.trv" in str(missing.value.file)
    with pytest.raises(trevni.DataError):
        trevni.open(b"PAR1")
    with pytest.raises(trevni.NotFoundError, match="empty"):
        (tmp_path / "empty").mkdir()
        trevni.open(tmp_path / "empty")
    with pytest.raises(trevni.ArgumentError):
        trevni.read_table(path, filters="id >")
    data = bytearray(path.read_bytes())
    data[len(data) // 3] ^= 0x10
    with pytest.raises(trevni.ChecksumError) as wrong:
        trevni.open(bytes(data)).read_all()
    error = wrong.value
    assert error.column is not None and error.block is not None and error.offset is not None
    found = trevni.verify(bytes(data))
    assert not found and len(found.faults) == 1
    assert (found.faults[0].column, found.faults[0].block) == (error.column, error.block)
    assert trevni.verify(path) and trevni.verify(path).verified > 0


def test_errors_of_file_objects_are_theirs(path: Path) -> None:
    class Broken(io.BytesIO):
        calls = 0

        def read(self, size: int | None = -1) -> bytes:
            self.calls += 1
            if self.calls > 3:
                raise LookupError("gone")
            return super().read(size)

    with pytest.raises(LookupError, match="gone"):
        trevni.open(Broken(path.read_bytes())).read_all()

    class Full(io.BytesIO):
        def write(self, data: bytes) -> int:  # type: ignore[override]
            raise LookupError("full")

    with pytest.raises(LookupError, match="full"):
        trevni.write_table(pa.table({"a": [1]}), Full())


def test_threads_share_a_file(table: pa.Table, path: Path) -> None:
    file = trevni.open(io.BytesIO(path.read_bytes()))
    sums: list[int] = []

    def work() -> None:
        sums.append(pa.compute.sum(file.scan(["id"], threads=2).read_all().to_arrow()["id"]).as_py())

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sums == [sum(range(100_000))] * 8


def test_reading_releases_the_lock(path: Path) -> None:
    progress, stop = [0], threading.Event()

    def count() -> None:
        while not stop.is_set():
            progress[0] += 1

    thread = threading.Thread(target=count)
    thread.start()
    before = progress[0]
    for _ in range(20):
        trevni.read_table(path)
    stop.set()
    thread.join()
    assert progress[0] > before


def test_a_stream_is_read_once(path: Path) -> None:
    reader = trevni.open(path).scan()
    assert next(iter(reader)).num_rows > 0
    assert reader.to_arrow().read_all().num_rows < 100_000
    with pytest.raises(ValueError, match="handed over"):
        reader.read_all()


ENDLESS = """
def rows():
    while True:
        yield pa.record_batch({"a": list(range(8192))})
reader = pa.RecordBatchReader.from_batches(pa.schema([("a", pa.int64())]), rows())
"""
LONG = """
reader = pa.table({"a": pa.chunked_array([pa.array(range(8192))] * 1_000_000)})
"""


@pytest.mark.parametrize("rows", [ENDLESS, LONG])
def test_interrupt(rows: str, tmp_path: Path) -> None:
    program = f"""
import os, signal, threading, pyarrow as pa, trevni
{rows}
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    trevni.write_table(reader, {str(tmp_path / "a.trv")!r})
except KeyboardInterrupt:
    print("interrupted")
"""
    done = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True, timeout=60)
    assert done.stdout == "interrupted\n", done.stderr
    assert list(tmp_path.iterdir()) == []


def test_writers_are_watched_from_other_threads(tmp_path: Path) -> None:
    schema = pa.schema([("a", pa.int64())])
    writer = trevni.Writer(tmp_path / "a.trv", schema)
    begun = threading.Event()

    def rows() -> Iterator[pa.RecordBatch]:
        for _ in range(200):
            begun.set()
            yield pa.record_batch({"a": range(100)}, schema)

    reader = pa.RecordBatchReader.from_batches(schema, rows())
    thread = threading.Thread(target=lambda: writer.write(reader))
    thread.start()
    begun.wait()
    while thread.is_alive():
        assert not writer.closed
    writer.close()
    assert trevni.open(tmp_path / "a.trv").num_rows == 20_000
