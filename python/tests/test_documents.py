"""The examples of docstrings and documents run."""

from __future__ import annotations

import doctest
import importlib
import re
from pathlib import Path

import pytest
from conftest import CHECKOUT

MODULES = ["trevni", "trevni._file", "trevni._open", "trevni._dataset", "trevni._expressions", "trevni.blosc"]
PAGES = [CHECKOUT / "docs" / "python.md", CHECKOUT / "python" / "README.md"]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name: str, examples: Path) -> None:
    result = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0 and result.attempted > 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages(page: Path, examples: Path) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)
    assert blocks
    # Whoever reads a page may run its examples again.
    for _ in range(2):
        names: dict[str, object] = {}
        for block in blocks:
            exec(compile(block, page.name, "exec"), names)
