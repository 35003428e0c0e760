"""Containers of the Blosc family: what their own libraries read is in `NAME.arrow`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from conftest import corpus

import trevni
import trevni.blosc


def containers() -> list[Path]:
    """Returns the containers whose values are known."""
    found = []
    for folder in ["bcolz", "bcolz121", "bloscpack", "blosc2"]:
        for values in sorted(corpus(f"blosc/{folder}").glob("*.arrow")):
            stem = values.with_suffix("")
            found.append(stem if stem.exists() else stem.with_suffix(".blp"))
    return found


def plain(value: Any) -> Any:
    """Returns a value in a form that does not depend on how its type is stored in Arrow."""
    match value:
        case list():
            return [plain(item) for item in value]
        case dict():
            return {key: plain(item) for key, item in value.items()}
        case bytes():
            return value.rstrip(b"\0")
        case float() if value != value:
            return "nan"
    return value


def expected(path: Path) -> pa.Table:
    values = path.with_suffix(".arrow") if path.suffix == ".blp" else path.with_name(path.name + ".arrow")
    with pa.memory_map(str(values)) as source:
        return pa.ipc.open_file(source).read_all()


@pytest.mark.parametrize("path", containers(), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_values_are_those_of_the_peers(path: Path) -> None:
    container = trevni.blosc.open(path)
    values = expected(path)
    for name, array in container.items():
        column = values.column(name if name in values.column_names else 0)
        read = array.to_numpy()
        assert read.shape == array.shape and read.dtype == array.dtype
        if array.dtype.names is not None:
            columns = (
                {field: values.column(field) for field in array.dtype.names}
                if len(values.column_names) == len(array.dtype.names)
                else None
            )
            assert columns is not None
            for field, column in columns.items():
                assert same(read[field], column), field
        else:
            assert read.tobytes() == bytes_of(column) if name == "bytes" else same(read, column), name
    assert container.scan().read_all().num_rows == (len(values) if container.names else 0)


def bytes_of(column: pa.ChunkedArray) -> bytes:
    """Returns the bytes of the values: a container without a dtype has nothing else."""
    values = column.combine_chunks()
    while pa.types.is_fixed_size_list(values.type):
        values = values.flatten()
    return bytes(values.buffers()[1])[: len(values) * values.type.byte_width]


def same(read: np.ndarray[Any, Any], column: pa.ChunkedArray) -> bool:
    kind = column.type
    if pa.types.is_timestamp(kind) or pa.types.is_duration(kind):
        column = column.cast(pa.int64())
    if read.dtype.kind in "mM":
        read = read.astype("i8")
    if read.dtype.kind == "c":
        read = np.stack([read.real, read.imag], axis=-1)
    return bool(plain(read.tolist()) == [plain(value) for value in column.to_pylist()])


def test_arrays(examples: Path) -> None:
    container = trevni.blosc.open("prices.bcolz")
    array, matrix = container["x"], container["m"]
    whole = array.to_numpy()
    assert len(array) == len(whole) == array.shape[0]
    for key in [0, -1, np.int64(3), slice(2, 9), slice(None, None, 3), slice(9, 2), slice(None, None, -1), [1, 5]]:
        assert np.array_equal(array[key], whole[key])
    for key in [(slice(3, 5), 0), (3, 1), 3, (slice(None), slice(1, 2))]:
        assert np.array_equal(matrix[key], matrix.to_numpy()[key])
    assert np.array_equal(np.asarray(array), whole)
    assert np.asarray(array, dtype="f8").dtype == "f8"
    with pytest.raises(IndexError):
        array[len(array)]
    with pytest.raises(KeyError):
        container["nope"]
    assert "ctable" in repr(container) and "'x'" in repr(array)
    part = container.scan(["m", "x"], start=3, stop=5).read_all()
    assert (part.column_names, part.num_rows) == (["m", "x"], 2)
    assert container.to_pandas().shape[0] == len(array)
    assert container.to_polars().height == len(array)


def test_attributes() -> None:
    container = trevni.blosc.open(corpus("blosc/bcolz") / "attrs")
    assert container.attributes and container["values"].attributes == container.attributes


def test_sources() -> None:
    path = next(corpus("blosc/bloscpack").glob("*.blp"))
    with path.open("rb") as file:
        for source in [str(path), path.read_bytes(), file]:
            assert trevni.blosc.open(source).kind == "bloscpack"
    with pytest.raises(trevni.DataError):
        trevni.blosc.open(b"nothing of the kind")
    with pytest.raises(FileNotFoundError):
        trevni.blosc.open("nope.blp")
