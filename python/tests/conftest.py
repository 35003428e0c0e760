"""Where test data is, and the files that examples use."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pyarrow
import pyarrow.csv
import pytest

import trevni

CHECKOUT = Path(os.environ.get("TREVNI_CHECKOUT", Path(__file__).parents[2])).resolve()
SELECTED = CHECKOUT / "testdata"


def corpus(folder: str) -> Path:
    """Returns a folder of the whole corpus if it is here, else of the selection."""
    whole = Path(os.environ.get("TREVNI_TEST_DATA", CHECKOUT.parent / "shared")) / "golden" / folder
    return whole if whole.is_dir() else SELECTED / folder


@pytest.fixture(scope="session")
def quakes() -> pyarrow.Table:
    return pyarrow.csv.read_csv(SELECTED / "rows" / "quakes.csv")


@pytest.fixture
def examples(tmp_path: Path, quakes: pyarrow.Table, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with the files of the examples."""
    trevni.write_table(quakes.slice(0, 40), tmp_path / "quakes.trv")
    shutil.copytree(SELECTED / "blosc" / "bcolz" / "ctable_2dcol", tmp_path / "prices.bcolz")
    monkeypatch.chdir(tmp_path)
    return tmp_path
