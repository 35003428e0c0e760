"""Measures reading and writing files beside other packages, all with their default threads.

The times are medians of interleaved rounds in one process.

::

    python race.py DIR [--repetitions 7] [--json results.json] [--chart chart.svg]

``DIR`` has Parquet files with the tables; ``cargo run --release -- --export DIR --tables lineitem,taxi,events`` in
``benches/peers`` writes them. Files are on disk, warm. What is read is an Arrow table; with polars, a frame.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import lance.file
import polars
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import vortex

import trevni

Filter = tuple[str, Any]


class Trevni:
    """The package of this folder."""

    def __init__(self, codec: str) -> None:
        self.name = f"trevni, {codec}"
        self.codec = codec

    def write(self, table: pa.Table, path: str) -> None:
        trevni.write_table(table, path, self.codec)

    def read(self, path: str) -> Any:
        return trevni.read_table(path).to_arrow()

    def column(self, path: str, name: str) -> Any:
        return trevni.read_table(path, [name]).to_arrow()

    def rows(self, path: str, rows: list[int]) -> Any:
        return trevni.open(path).take(rows).to_arrow()

    def filter(self, path: str, condition: Filter) -> Any:
        name, value = condition
        return trevni.read_table(path, filters=pc.field(name) > value).to_arrow()


class Parquet:
    """``pyarrow.parquet``."""

    def __init__(self, compression: str) -> None:
        self.name = f"pyarrow.parquet, {compression}"
        self.compression = compression

    def write(self, table: pa.Table, path: str) -> None:
        pq.write_table(table, path, compression=self.compression, write_page_index=True)

    def read(self, path: str) -> Any:
        return pq.read_table(path)

    def column(self, path: str, name: str) -> Any:
        return pq.read_table(path, columns=[name])

    def rows(self, path: str, rows: list[int]) -> Any:
        return pq.read_table(path).take(rows)

    def filter(self, path: str, condition: Filter) -> Any:
        name, value = condition
        return pq.read_table(path, filters=pc.field(name) > value)


class DuckDb:
    """Parquet as DuckDB writes it with its best encodings, and reads it."""

    name = "duckdb, zstd, V2"

    def write(self, table: pa.Table, path: str) -> None:
        duckdb.sql(f"COPY (FROM \"table\") TO '{path}' (FORMAT parquet, COMPRESSION zstd, PARQUET_VERSION V2)")

    def read(self, path: str) -> Any:
        return duckdb.read_parquet(path).to_arrow_table()

    def column(self, path: str, name: str) -> Any:
        return duckdb.read_parquet(path).select(duckdb.ColumnExpression(name)).to_arrow_table()

    def rows(self, path: str, rows: list[int]) -> Any:
        wanted = pa.table({"file_row_number": pa.array(rows, pa.int64())})
        found = duckdb.read_parquet(path, file_row_number=True)
        return found.join(duckdb.from_arrow(wanted), "file_row_number", "semi").to_arrow_table()

    def filter(self, path: str, condition: Filter) -> Any:
        name, value = condition
        column, bound = duckdb.ColumnExpression(name), duckdb.ConstantExpression(value)
        return duckdb.read_parquet(path).filter(column > bound).to_arrow_table()


class Polars:
    """``polars.read_parquet`` and ``scan_parquet``."""

    name = "polars, zstd"

    def write(self, table: pa.Table, path: str) -> None:
        polars.DataFrame(table).write_parquet(path, compression="zstd")

    def read(self, path: str) -> Any:
        return polars.read_parquet(path)

    def column(self, path: str, name: str) -> Any:
        return polars.read_parquet(path, columns=[name])

    def rows(self, path: str, rows: list[int]) -> Any:
        return polars.read_parquet(path)[rows]

    def filter(self, path: str, condition: Filter) -> Any:
        name, value = condition
        return polars.scan_parquet(path).filter(polars.col(name) > value).collect()


class Vortex:
    """``vortex-data``."""

    name = "vortex-data"

    def write(self, table: pa.Table, path: str) -> None:
        vortex.io.write(table, path)

    def read(self, path: str) -> Any:
        return vortex.open(path).to_arrow().read_all()

    def column(self, path: str, name: str) -> Any:
        return vortex.open(path).to_arrow([name]).read_all()

    def rows(self, path: str, rows: list[int]) -> Any:
        indices = vortex.array(pa.array(rows, pa.uint64()))
        return vortex.open(path).scan(indices=indices).read_all().to_arrow_table()

    def filter(self, path: str, condition: Filter) -> Any:
        name, value = condition
        return vortex.open(path).to_dataset().to_table(filter=pc.field(name) > value)


class Lance:
    """Lance files, version 2.2; they have no filters of their own."""

    name = "lance, 2.2"

    def write(self, table: pa.Table, path: str) -> None:
        with lance.file.LanceFileWriter(path, table.schema, version="2.2") as writer:
            for batch in table.to_batches():
                writer.write_batch(batch)

    def read(self, path: str) -> Any:
        return lance.file.LanceFileReader(path).read_all().to_table()

    def column(self, path: str, name: str) -> Any:
        return lance.file.LanceFileReader(path, columns=[name]).read_all().to_table()

    def rows(self, path: str, rows: list[int]) -> Any:
        return lance.file.LanceFileReader(path).take_rows(rows).to_table()

    def filter(self, path: str, condition: Filter) -> Any:
        name, value = condition
        return self.read(path).filter(pc.field(name) > value)


PEERS: list[Any] = [
    Trevni("pack"),
    Trevni("pack+zstd"),
    Trevni("snappy"),
    Parquet("snappy"),
    Parquet("zstd"),
    DuckDb(),
    Polars(),
    Vortex(),
    Lance(),
]
MEASURES = ["write", "read", "column", "rows", "filter"]


def main() -> None:
    """Measures over all tables of a folder."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--repetitions", type=int, default=7)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--chart", type=Path)
    arguments = parser.parse_args()
    results: dict[str, dict[str, dict[str, float]]] = {}
    for path in sorted(arguments.folder.glob("*.parquet")):
        results[path.stem] = race(pq.read_table(path), arguments.repetitions)
        print_table(path.stem, results[path.stem])
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1) + "\n")
    if arguments.chart:
        arguments.chart.write_text(chart(results))


def race(table: pa.Table, repetitions: int) -> dict[str, dict[str, float]]:
    """Returns the median milliseconds of each measure of each peer, and the size of its file."""
    chance = random.Random(1)
    rows = sorted(chance.sample(range(len(table)), min(1000, len(table) // 100)))
    condition = condition_of(table)
    times: dict[str, dict[str, list[float]]] = {}
    sizes: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        runs = {}
        for number, peer in enumerate(PEERS):
            path = f"{folder}/{number}.file"
            try:
                runs[peer.name] = prepare(peer, table, path, rows, condition)
            except Exception as error:
                print(f"{peer.name}: {error}", file=sys.stderr)
                continue
            sizes[peer.name] = Path(path).stat().st_size / 1e6
            times[peer.name] = {measure: [] for measure in MEASURES}
        for _ in range(repetitions):
            for measure in MEASURES:
                for name, run in runs.items():
                    start = time.perf_counter()
                    run[measure]()
                    times[name][measure].append((time.perf_counter() - start) * 1000)
    medians = {name: {m: statistics.median(t) for m, t in found.items()} for name, found in times.items()}
    return {name: {"MB": sizes[name], **found} for name, found in medians.items()}


def condition_of(table: pa.Table) -> Filter:
    """Returns a condition that one row of a hundred meets: a number above its 99th percentile."""
    for field in table.schema:
        if pa.types.is_floating(field.type) or pa.types.is_integer(field.type):
            values = table[field.name]
            bound = pc.quantile(values, 0.99, interpolation="lower")[0].as_py()
            if 0 < pc.sum(pc.greater(values, bound)).as_py() <= len(table) / 50:
                return field.name, bound
    raise ValueError("a table without numbers")


def prepare(peer: Any, table: pa.Table, path: str, rows: list[int], condition: Filter) -> dict[str, Callable[[], Any]]:
    """Writes the file of a peer, compares what it reads with the table, and returns what is measured."""
    name = table.column_names[0]
    measures = {
        "write": lambda: peer.write(table, path),
        "read": lambda: peer.read(path),
        "column": lambda: peer.column(path, name),
        "rows": lambda: peer.rows(path, rows),
        "filter": lambda: peer.filter(path, condition),
    }
    peer.write(table, path)
    passing = pc.sum(pc.greater(table[condition[0]], condition[1])).as_py()
    expected = {"read": len(table), "column": len(table), "rows": len(rows), "filter": passing}
    for measure, count in expected.items():
        found = len(measures[measure]())
        if found != count:
            raise ValueError(f"{measure}: {found} rows came of {count}")
    return measures


def print_table(name: str, results: dict[str, dict[str, float]]) -> None:
    """Prints the measures as a table of Markdown."""
    print(f"\n| {name} | MB | " + " | ".join(f"{measure}, ms" for measure in MEASURES) + " |")
    print("|---|" + "--:|" * (len(MEASURES) + 1))
    for peer, values in results.items():
        cells = [f"{values['MB']:.1f}"] + [f"{values[measure]:.1f}" for measure in MEASURES]
        print(f"| {peer} | " + " | ".join(cells) + " |")


def chart(results: dict[str, dict[str, dict[str, float]]]) -> str:
    """Draws how many times as fast as ``pyarrow.parquet`` with snappy each peer reads and writes."""
    base, width, bar, left = "pyarrow.parquet, snappy", 760, 12, 190
    lines, y = [], 24
    for measure in MEASURES:
        lines.append(f'<text x="8" y="{y}" font-weight="bold">{measure}</text>')
        y += 8
        means = {}
        for peer in (peer.name for peer in PEERS):
            ratios = [t[base][measure] / t[peer][measure] for t in results.values() if peer in t and base in t]
            if ratios:
                means[peer] = statistics.geometric_mean(ratios)
        scale = (width - left - 60) / max(means.values())
        for peer, mean in means.items():
            length = mean * scale
            fill = "#d1495b" if peer.startswith("trevni") else "#8d99ae"
            lines.append(f'<text x="{left - 6}" y="{y + bar - 2}" text-anchor="end">{peer}</text>')
            lines.append(f'<rect x="{left}" y="{y}" width="{length:.1f}" height="{bar - 2}" fill="{fill}"/>')
            lines.append(f'<text x="{left + length + 5:.1f}" y="{y + bar - 2}">{mean:.2f}</text>')
            y += bar + 3
        y += 22
    size = f'width="{width}" height="{y}" font-family="sans-serif" font-size="11"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size}>'
    ground = f'<rect width="{width}" height="{y}" fill="white"/>'
    return "\n".join([head, ground, *lines, "</svg>"]) + "\n"


if __name__ == "__main__":
    main()
