"""Races the command over row files beside DuckDB and pyarrow: two threads, files on disk and warm, medians.

::

    python race.py DIR [--megabytes 500] [--repetitions 3] [--trevni ../../target/release/trevni]

Makes the files in ``DIR`` unless they are there: flat rows, rows with a struct and a list, and rows of 100 columns,
as CSV and as JSON lines; the flat rows as Avro and Parquet, too. Each run is a process of its own; its peak memory is
that of the process. The others are timed without their import. Avro is read by fastavro, which has one thread:
DuckDB reads it with an extension that it downloads, pyarrow not at all.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

FLAT = """
SELECT i AS id, 'customer ' || (hash(i) % 100000) AS name, (hash(i + 1) % 100000) / 100.0 AS price,
  hash(i + 2) % 50 AS quantity, i % 3 = 0 AS paid, TIMESTAMP '2024-01-01' + INTERVAL (i) SECOND AS at
FROM range({rows}) t(i)
"""
NESTED = """
SELECT i AS id, 'customer ' || (hash(i) % 100000) AS name, (hash(i + 1) % 100000) / 100.0 AS price,
  {{'x': hash(i + 3) % 100, 'y': (hash(i + 4) % 1000) / 8.0, 'city': 'city ' || (hash(i + 5) % 100)}} AS place,
  ['tag ' || (hash(i + 6) % 10), 'tag ' || (hash(i + 7) % 10)] AS tags
FROM range({rows}) t(i)
"""
WIDE = "SELECT {columns} FROM range({rows}) t(i)"
PRICE = "price > 500"


@dataclass(frozen=True)
class Case:
    """A file of rows, and a condition."""

    name: str
    format: str
    sql: str
    condition: str


def wide() -> str:
    """Returns a query of 100 columns."""
    columns = ["(hash(i) % 100000) / 100.0 AS price"]
    columns += [f"hash(i + {n}) % 10000 AS c{n}" for n in range(1, 60)]
    columns += [f"'text ' || (hash(i + {n}) % 1000) AS c{n}" for n in range(60, 100)]
    return WIDE.replace("{columns}", ", ".join(columns))


CASES = [
    Case("flat", "csv", FLAT, PRICE),
    Case("wide", "csv", wide(), PRICE),
    Case("flat", "jsonl", FLAT, PRICE),
    Case("nested", "jsonl", NESTED, PRICE),
    Case("wide", "jsonl", wide(), PRICE),
    Case("flat", "avro", FLAT, PRICE),
    Case("flat", "parquet", FLAT, PRICE),
]

DUCKDB = """
import time, duckdb
base = duckdb.connect(config={"threads": 2})
start = time.perf_counter()
base.execute(SQL).fetchall()
print(time.perf_counter() - start)
"""
PYARROW = """
import time, pyarrow as pa, pyarrow.csv, pyarrow.json, pyarrow.parquet, pyarrow.compute as pc
pa.set_cpu_count(2)
start = time.perf_counter()
table = READ
WORK
print(time.perf_counter() - start)
"""

FASTAVRO = """
import time, fastavro
start = time.perf_counter()
with open(PATH, "rb") as file:
    print(sum(1 for row in fastavro.reader(file) WORK))
print(time.perf_counter() - start)
"""


@dataclass(frozen=True)
class Work:
    """A work, and the programs that do it: arguments of the command, and Python for the others."""

    name: str
    ours: list[str]
    duckdb: str | None
    other: str | None


def main() -> None:
    """Makes the files, and races."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--megabytes", type=int, default=500)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--trevni", default=str(Path(__file__).parents[2] / "target/release/trevni"))
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    print("| file | work | trevni, s | MB | DuckDB, s | MB | ratio | pyarrow or fastavro, s | MB | ratio |")
    print("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    for case in CASES:
        path = make(case, arguments.folder, arguments.megabytes, arguments.trevni)
        race(case, path, arguments.trevni, arguments.repetitions)


def make(case: Case, folder: Path, megabytes: int, trevni: str) -> Path:
    """Writes the file of a case, of about this size, and returns its path."""
    path = folder / f"{case.name}.{case.format}"
    if case.format in ("avro", "parquet"):
        if not path.exists():
            subprocess.run([trevni, "convert", str(folder / f"{case.name}.csv"), str(path)], check=True)
        return path
    options = "FORMAT csv, HEADER" if case.format == "csv" else "FORMAT json"

    def write(rows: int) -> int:
        sql = f"COPY ({case.sql.format(rows=rows)}) TO '{path}' ({options})"
        # In a process of its own: the peak memory of this one would be that of its children, too.
        subprocess.run([sys.executable, "-c", DUCKDB.replace("SQL", repr(sql))], check=True, capture_output=True)
        return path.stat().st_size

    if not path.exists():
        write(max(1, int(10_000 * megabytes * 1e6 / write(10_000))))
    return path


def race(case: Case, path: Path, trevni: str, repetitions: int) -> None:
    """Prints the rows of a case."""
    size = path.stat().st_size / 1e6
    with tempfile.TemporaryDirectory(dir=path.parent) as temporary:
        for work in works(case, path, temporary):
            results = [median([trevni, *work.ours], repetitions, None)]
            for program in (work.duckdb, work.other):
                others = median([sys.executable, "-c", program], repetitions, "printed") if program else (0, 0)
                results.append(others)
            print_row(f"{case.name}.{case.format}, {size:.0f} MB", work.name, results)


def works(case: Case, path: Path, temporary: str) -> list[Work]:
    """Returns the works of a case, in their order."""
    columns, parquet, back = f"{temporary}/a.trv", f"{temporary}/a.parquet", f"{temporary}/b.{case.format}"
    source = {"csv": f"read_csv('{path}')", "jsonl": f"read_json('{path}')", "parquet": f"'{path}'"}.get(case.format)
    options = "FORMAT csv, HEADER" if case.format == "csv" else "FORMAT json"

    def duckdb(sql: str) -> str | None:
        return DUCKDB.replace("SQL", repr(sql)) if source else None

    def other(work: str, condition: str | None) -> str | None:
        if case.format == "avro":
            filtered = f"if {condition}" if condition else ""
            return FASTAVRO.replace("PATH", repr(str(path))).replace("WORK", filtered) if work != "write" else None
        read = {"csv": "pa.csv.read_csv", "jsonl": "pa.json.read_json", "parquet": "pa.parquet.read_table"}[case.format]
        steps = {
            "count": "len(table)",
            "filter": "len(table.filter(pc.field('price') > 500))",
            "write": f"pa.parquet.write_table(table, {parquet!r})",
        }
        return PYARROW.replace("READ", f"{read}({str(path)!r})").replace("WORK", steps[work])

    found = [
        Work("count", ["count", str(path)], duckdb(f"SELECT count(*) FROM {source}"), other("count", None)),
        Work(
            "count, condition",
            ["count", str(path), "--where", case.condition],
            duckdb(f"SELECT count(*) FROM {source} WHERE {case.condition}"),
            other("filter", "row['price'] > 500"),
        ),
        Work(
            "convert",
            ["convert", str(path), columns, "--codec", "pack", "--force"],
            duckdb(f"COPY (SELECT * FROM {source}) TO '{parquet}' (FORMAT parquet)"),
            other("write", None),
        ),
    ]
    if case.format in ("csv", "jsonl"):
        program = PYARROW.replace("READ", f"pa.parquet.read_table({parquet!r})")
        csv = program.replace("WORK", f"pa.csv.write_csv(table, {back!r})") if case.format == "csv" else None
        sql = f"COPY (SELECT * FROM '{parquet}') TO '{back}' ({options})"
        found.append(Work("write back", ["convert", columns, back, "--force"], duckdb(sql), csv))
    return found


def print_row(file: str, work: str, results: list[tuple[float, float]]) -> None:
    """Prints a row of the table."""
    (ours, memory), *others = results
    cells = [f"{ours:.2f}", f"{memory:.0f}"]
    for seconds, peak in others:
        cells += [f"{seconds:.2f}", f"{peak:.0f}", f"{seconds / ours:.2f}"] if seconds else ["-", "-", "-"]
    print(f"| {file} | {work} | " + " | ".join(cells) + " |", flush=True)


def median(command: list[str], repetitions: int, timed: str | None) -> tuple[float, float]:
    """Returns the median seconds of a command and its peak memory in megabytes."""
    seconds, peaks = [], []
    for _ in range(repetitions):
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert process.stdout is not None and process.stderr is not None
        out, errors = process.stdout.read(), process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        whole = time.perf_counter() - start
        if status != 0:
            raise RuntimeError(f"{command[:3]}: {errors[-500:]}")
        seconds.append(float(out.split()[-1]) if timed else whole)
        peaks.append(usage.ru_maxrss / 1024)
    return statistics.median(seconds), max(peaks)


if __name__ == "__main__":
    main()
