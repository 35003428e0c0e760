#!/usr/bin/env python3
"""Fetches tables that nobody of this project made, from the registries that ship them.

    fetch.py DIR [GROUP...]

Groups, each a folder of DIR: flat, large, nested, text. Default: all. Needs only Python's standard library. A file that is
there already is not fetched again. Packages of npm have the version that is named here; the indexes of Debian, PyPI, npm and
crates.io are those of the day.
"""

import pathlib
import sys

import flat
import large
import nested
import text

GROUPS = {"flat": flat, "large": large, "nested": nested, "text": text}


def main():
    arguments = sys.argv[1:]
    if not arguments or any(name not in GROUPS for name in arguments[1:]):
        sys.exit(__doc__)
    for group in arguments[1:] or GROUPS:
        folder = pathlib.Path(arguments[0]) / group
        folder.mkdir(parents=True, exist_ok=True)
        for source, names in GROUPS[group].SOURCES.items():
            if not all((folder / name).exists() for name in names):
                print(f"fetching {source.__name__}: {source.__doc__}", file=sys.stderr)
                source(folder)


if __name__ == "__main__":
    main()
