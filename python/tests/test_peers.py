"""The command and this package read each other's files."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pyarrow as pa
import pytest
from conftest import CHECKOUT, SELECTED, corpus

import trevni

TARGET = Path(os.environ.get("CARGO_TARGET_DIR", CHECKOUT / "target"))
COMMANDS = [TARGET / profile / "trevni" for profile in ("release", "debug")]
COMMAND = next((command for command in COMMANDS if command.is_file()), None)


@pytest.mark.skipif(COMMAND is None, reason="the command is not built")
def test_the_command_reads_and_writes_the_same_files(tmp_path: Path, quakes: pa.Table) -> None:
    ours = tmp_path / "ours.trv"
    trevni.write_table(quakes, ours, "pack")
    assert run("verify", ours) is not None
    rows = [json.loads(line) for line in run("cat", ours, "--format", "json").splitlines()]
    assert [row["id"] for row in rows] == quakes["id"].to_pylist()
    theirs = tmp_path / "theirs.trv"
    run("convert", SELECTED / "rows" / "quakes.csv", theirs)
    file = trevni.open(theirs)
    assert file.num_rows == len(quakes)
    assert file.scan(["place"]).read_all().to_arrow()["place"].to_pylist() == quakes["place"].to_pylist()


def run(*arguments: object) -> str:
    assert COMMAND is not None
    words = [str(argument) for argument in arguments]
    return subprocess.run([COMMAND, *words], check=True, capture_output=True, text=True).stdout


REFUSED = [
    "syn-bad-crc",
    "syn-truncated",
    "syn-magic-3",
    "syn-magic-XYZ",
    "syn-null-crc32-little-endian",
]


def test_files_of_the_reference() -> None:
    paths = sorted(corpus("trevni").glob("*.meta.json"))
    read = 0
    for meta in paths:
        rows = json.loads(meta.read_text()).get("rowCount")
        path = meta.with_name(meta.name.removesuffix(".meta.json") + ".trv")
        if rows is None or not path.exists():
            continue
        if path.stem in REFUSED:
            with pytest.raises(trevni.TrevniError):
                trevni.open(path).read_all()
            continue
        file = trevni.open(path)
        assert file.num_rows == rows
        assert len(file.read_all()) == rows
        read += 1
    assert read > 5
