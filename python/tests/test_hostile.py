"""Damaged files are errors, and memory does not grow."""

from __future__ import annotations

import gc
import io
import random
import resource
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from conftest import SELECTED

import trevni
import trevni.blosc


def test_mutated_files(quakes: pa.Table) -> None:
    chance = random.Random(7)
    for codec in ["snappy", "pack"]:
        out = io.BytesIO()
        trevni.write_table(quakes, out, codec, block_rows=64)
        whole = out.getvalue()
        for _ in range(500):
            data = bytearray(whole)
            for _ in range(chance.randint(1, 4)):
                data[chance.randrange(len(data))] = chance.randrange(256)
            if chance.random() < 0.2:
                del data[chance.randrange(len(data)) :]
            read(bytes(data))


def read(data: bytes) -> None:
    """Reads in every way, and takes any error of this package."""
    try:
        file = trevni.open(data)
        file.read_all().to_arrow().validate(full=True)
        file.scan(where="magnitude > 3 and id < 7000100").read_all()
        for column in file.columns:
            file.statistics(column)
    except trevni.TrevniError:
        pass
    try:
        assert trevni.verify(data).blocks >= 0
    except trevni.TrevniError:
        pass


@pytest.mark.parametrize("path", sorted((SELECTED / "bad").glob("*.trv")), ids=lambda path: path.name)
def test_bad_files(path: Path) -> None:
    read(path.read_bytes())
    with pytest.raises(trevni.TrevniError):
        list(trevni.open(path).scan())


def test_mutated_containers() -> None:
    chance = random.Random(7)
    for path in sorted((SELECTED / "blosc").rglob("*.b2frame"))[:6] + sorted((SELECTED / "blosc").rglob("*.blp"))[:6]:
        if path.is_dir():
            continue
        whole = path.read_bytes()
        for _ in range(50):
            data = bytearray(whole)
            data[chance.randrange(len(data))] = chance.randrange(256)
            try:
                container = trevni.blosc.open(bytes(data))
                for array in container.values():
                    array[:1000]
                container.scan().read_all()
            except (trevni.TrevniError, ValueError, TypeError):
                pass


def test_opens_do_not_leak(tmp_path: Path, quakes: pa.Table) -> None:
    path = tmp_path / "a.trv"
    trevni.write_table(quakes, path, "pack")

    def work(times: int) -> int:
        for i in range(times):
            file = trevni.open(path)
            if i % 10 == 0:
                file.read_all()
                next(iter(file.scan()))
        gc.collect()
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    before = work(2000)
    assert work(10_000) < before + 8 * 1024


def test_batches_of_a_large_file_take_little_memory(tmp_path: Path) -> None:
    """As README says of 4 GB; here of 800 MB in a process of its own."""
    program = f"""
import resource, pyarrow as pa, trevni
rows = 1_000_000
batch = pa.record_batch({{name: pa.array([i * 7919 % 999983 for i in range(rows)]) for name in "ab"}})
with trevni.Writer({str(tmp_path / "a.trv")!r}, batch.schema, codec="null") as writer:
    for _ in range(50):
        writer.write(batch)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
    subprocess.run([sys.executable, "-P", "-c", program], check=True, timeout=300)
    program = f"""
import resource, trevni
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
rows = sum(batch.num_rows for batch in trevni.open({str(tmp_path / "a.trv")!r}).scan())
assert rows == 50_000_000
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""
    done = subprocess.run([sys.executable, "-P", "-c", program], check=True, capture_output=True, timeout=300)
    assert int(done.stdout) < 256
