"""Calls every public method of the objects that other libraries are given, each in a process of its own.

Run by itself it prints how many calls there are, and those that fail: ``python public_methods.py``. What a method of a
data set returns is compared with what pyarrow returns for the same rows.
"""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

ROWS = 1000

SETUP = """
import io, pickle
import pyarrow as pa, pyarrow.acero as acero, pyarrow.compute as pc, pyarrow.dataset as ds
import trevni

table = pa.table({
    "id": pa.array(range(1000), pa.int64()),
    "k": pa.array([i % 7 for i in range(1000)], pa.int32()),
    "s": pa.array([None if i % 10 == 0 else f"text {i}" for i in range(1000)]),
    "d": pa.array([f"v{i % 5}" for i in range(1000)]).dictionary_encode(),
    "p": pa.array([{"x": i, "y": [i, i + 1]} for i in range(1000)]),
})
out = io.BytesIO()
trevni.write_table(table, out, codec="pack")
file = trevni.open(out.getvalue())
other = ds.dataset(table)
# Without types that pyarrow does not join.
flat = table.select(["id", "k", "s"])
flat_out = io.BytesIO()
trevni.write_table(flat, flat_out)
times = ds.dataset(table.select(["id"]).rename_columns(["t"]))
few = pc.field("id") < 5

def plain(value):
    "Returns what can be compared."
    if isinstance(value, ds.Dataset):
        return plain(value.to_table())
    if isinstance(value, ds.Scanner):
        return plain(value.to_table())
    if isinstance(value, pa.RecordBatchReader):
        return plain(value.read_all())
    if isinstance(value, (pa.Table, pa.RecordBatch)):
        return value.to_pylist()
    if hasattr(value, "__next__"):
        value = list(value)
        if value and isinstance(value[0], pa.RecordBatch):
            return plain(pa.Table.from_batches(value))
        return [plain(item) for item in value]
    return value
"""

# Calls on a data set, `rows`, that return the same for one of pyarrow.
DATASET = {
    "count_rows": ["rows.count_rows()", "rows.count_rows(filter=few)"],
    "filter": ["rows.filter(few)", "rows.filter(few).filter(pc.field('k') > 2)", "rows.filter(few).count_rows()"],
    "head": [
        "rows.head(3)",
        "rows.head(3, columns=['id'])",
        "rows.head(2, columns={'n': pc.field('id') + 1}, filter=few)",
    ],
    "join": [
        "rows.join(ds.dataset(flat), 'id', right_suffix='_r').sort_by('id')",
        "rows.filter(few).join(rows, 'id', right_suffix='_r').sort_by('id')",
    ],
    "join_asof": [
        "rows.join_asof(times, on='id', by=[], tolerance=0, right_on='t', right_by=[]).to_table().select(['id'])"
    ],
    "partition_expression": ["str(rows.partition_expression)"],
    "replace_schema": ["rows.replace_schema(pa.schema([('id', pa.int64()), ('new', pa.int8())]))"],
    "scanner": [
        "rows.scanner()",
        "rows.scanner(columns=['s', 'id'], filter=few)",
        "rows.scanner(columns={'n': pc.field('id') * 2})",
        "rows.scanner(batch_size=10).to_reader()",
    ],
    "schema": ["rows.schema"],
    "sort_by": [
        "rows.sort_by('id')",
        "rows.sort_by([('id', 'descending')])",
        "rows.filter(few).sort_by([('id', 'descending')])",
    ],
    "take": [
        "rows.take([5, 1])",
        "rows.take(pa.array([1, 1]), columns=['s'])",
        "rows.filter(pc.field('k') == 3).take([2, 0])",
    ],
    "to_batches": ["rows.to_batches()", "rows.to_batches(columns=['id'], filter=few)"],
    "to_table": ["rows.to_table()", "rows.to_table(columns=['p', 'd'])", "rows.to_table(filter=few, columns=['k'])"],
}
# The same, of what pyarrow has for all data sets, and of its functions that take one.
FUNCTIONS = [
    "ds.Scanner.from_dataset(rows)",
    "ds.Scanner.from_dataset(rows, columns=['id'], filter=few)",
    "ds.Scanner.from_dataset(rows.filter(few)).count_rows()",
    "ds.UnionDataset(rows.schema, [rows]).count_rows()",
    "ds.dataset([rows, rows])",
    "acero.Declaration('scan', acero.ScanNodeOptions(rows, columns=['id'], filter=few)).to_table().num_rows >= 5",
    "ds.write_dataset(rows, tempfile.mkdtemp() + '/t', format='ipc')",
    "isinstance(rows, ds.Dataset)",
    "ds.dataset(flat).join(rows, 'id', right_suffix='_r').sort_by('id')",
]
# Those of the fragments, which pyarrow's have too.
FRAGMENT = {
    "count_rows": ["next(rows.get_fragments()).count_rows()"],
    "head": ["next(rows.get_fragments()).head(3)"],
    "partition_expression": ["str(next(rows.get_fragments()).partition_expression)"],
    "physical_schema": ["next(rows.get_fragments()).physical_schema"],
    "scanner": ["next(rows.get_fragments()).scanner(columns=['id'], filter=few)"],
    "take": ["next(rows.get_fragments()).take([3])"],
    "to_batches": ["next(rows.get_fragments()).to_batches(columns=['id'])"],
    "to_table": ["next(rows.get_fragments()).to_table(filter=few)"],
}
# Calls on our own objects that libraries are given, with what is true of their results.
OWN = {
    "File": {
        "codecs": "len(file.codecs) > 4",
        "columns": "file.columns == table.column_names",
        "metadata": "'trevni.codec' in file.metadata",
        "nbytes": "file.nbytes == len(out.getvalue())",
        "num_rows": "file.num_rows == 1000",
        "read_all": "file.read_all().to_arrow() == table",
        "scan": "pa.table(file.scan(['id'])).num_columns == 1",
        "scan_polars": "file.scan_polars().collect().height == 1000",
        "schema": "file.schema.to_arrow() == table.schema",
        "statistics": "file.statistics('id').max == 999",
        "take": "file.take([7]).to_arrow().column('id').to_pylist() == [7]",
        "to_arrow": "file.to_arrow() == table",
        "to_pandas": "len(file.to_pandas()) == 1000",
        "to_polars": "file.to_polars().height == 1000",
        "to_pyarrow_dataset": "file.to_pyarrow_dataset().count_rows() == 1000",
    },
    # What differs from data sets of pyarrow in memory: a union keeps the filter of a part, and all of it pickles.
    "TrevniDataset": {
        "union": "ds.UnionDataset(rows.schema, [rows, rows.filter(few)]).to_table().num_rows == 1005",
        "pickle": "pickle.loads(pickle.dumps(rows)).to_table() == table",
        "pickle of a filter": "pickle.loads(pickle.dumps(rows.filter(few))).count_rows() == 5",
        "pickle of a part": "pickle.loads(pickle.dumps(rows.children[0])).to_table() == table",
        "children": "rows.filter(few).children[0].to_table(columns=['id']).num_rows == 5",
        "nulls": "rows.filter(pc.field('s').is_null()).children[0].count_rows() == 100",
    },
    "Table": {
        "column_names": "file.read_all().column_names == table.column_names",
        "nbytes": "file.read_all().nbytes > 0",
        "num_columns": "file.read_all().num_columns == 5",
        "num_rows": "file.read_all().num_rows == 1000",
        "schema": "file.read_all().schema.to_arrow() == table.schema",
        "to_arrow": "file.read_all().to_arrow() == table",
        "to_batches": "sum(len(batch) for batch in file.read_all().to_batches()) == 1000",
        "to_pandas": "len(file.read_all().to_pandas()) == 1000",
        "to_polars": "file.read_all().to_polars().height == 1000",
        "to_reader": "file.read_all().to_reader().read_all().num_rows == 1000",
    },
    "RecordBatchReader": {
        "read_all": "file.scan().read_all().num_rows == 1000",
        "schema": "file.scan().schema.names == table.column_names",
        "to_arrow": "file.scan().to_arrow().read_all() == table",
    },
    "RecordBatch": {
        "num_columns": "next(iter(file)).num_columns == 5",
        "num_rows": "next(iter(file)).num_rows == 1000",
        "schema": "next(iter(file)).schema.names == table.column_names",
        "to_arrow": "next(iter(file)).to_arrow().num_rows == 1000",
    },
    "Schema": {
        "metadata": "file.schema.metadata == {}",
        "names": "file.schema.names == table.column_names",
        "to_arrow": "file.schema.to_arrow() == table.schema",
        "types": "file.schema.types[0] == 'Int64'",
    },
    "ColumnStatistics": {
        "blocks": "file.statistics('id').blocks().num_rows >= 1",
        "is_exact": "file.statistics('id').is_exact",
        "max": "file.statistics('id').max == 999",
        "min": "file.statistics('id').min == 0",
        "name": "file.statistics('id').name == 'id'",
        "null_count": "file.statistics('s').null_count == 100",
    },
    "LazyFrame": {
        "collect": "file.scan_polars().collect().height == 1000",
        "collect_schema": "file.scan_polars().collect_schema().names() == table.column_names",
        "describe": "file.scan_polars().describe().height > 4",
        "explain": "len(file.scan_polars().explain()) > 0",
        "filter": "file.scan_polars().filter(polars.col('id') < 5).collect().height == 5",
        "group_by": "file.scan_polars().group_by('k').len().collect().height == 7",
        "head": "file.scan_polars().head(3).collect().height == 3",
        "join": "file.scan_polars().join(file.scan_polars(), on='id').collect().height == 1000",
        "select": "file.scan_polars().select('id').collect().width == 1",
        "slice": "file.scan_polars().slice(990, 20).collect().height == 10",
        "sort": "file.scan_polars().sort('id', descending=True).first().collect()['id'].to_list() == [999]",
        "tail": "file.scan_polars().tail(3).collect().height == 3",
    },
    "DuckDB": {
        "sql": "duckdb.sql('select count(*) from rows where id < 5').fetchall() == [(5,)]",
        "from_arrow": "duckdb.from_arrow(rows).aggregate('sum(id)').fetchall() == [(499500,)]",
        "register": "duckdb.register('r', rows) and duckdb.sql('select max(p.x) from r').fetchall() == [(999,)]",
        "join": "duckdb.sql('select count(*) from rows a join rows b using (id)').fetchall() == [(1000,)]",
    },
}


def compared() -> list[str]:
    """The calls whose results are compared with those of pyarrow."""
    return [call for group in (DATASET, FRAGMENT) for calls in group.values() for call in calls] + FUNCTIONS


def programs() -> dict[str, str]:
    """Returns the programs, by what they call."""
    same = """
import tempfile
def call(rows):
    return plain({call})
expected = call(ds.dataset({table}))
found = call(trevni.open({out}.getvalue()).to_pyarrow_dataset())
assert found == expected, (found, expected)
"""
    true = "import duckdb, polars\nrows = file.to_pyarrow_dataset()\nassert {call}\n"
    found = {}
    for call in compared():
        names = {"{table}": "flat", "{out}": "flat_out"} if "join" in call else {"{table}": "table", "{out}": "out"}
        program = same.replace("{call}", call)
        for name, value in names.items():
            program = program.replace(name, value)
        found[call] = SETUP + program
    for kind, calls in OWN.items():
        found |= {f"{kind}: {call}": SETUP + true.replace("{call}", call) for call in calls.values()}
    return found


def failure(program: str) -> str | None:
    """Runs a program. Returns how it failed, if it did."""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=False)
    return None if done.returncode == 0 else f"exit code {done.returncode}: {done.stderr[-2000:]}"


def missing() -> list[str]:
    """Returns the public methods that no program calls."""
    import polars
    import pyarrow.dataset

    import trevni

    names = [f"Dataset.{name}" for name in dir(pyarrow.dataset.Dataset) if name not in {*DATASET, "get_fragments"}]
    names += [f"Fragment.{name}" for name in dir(pyarrow.dataset.Fragment) if name not in FRAGMENT]
    classes = {kind: getattr(trevni, kind, None) for kind in OWN}
    assert polars.LazyFrame is not None
    for kind, own in classes.items():
        names += [f"{kind}.{name}" for name in dir(own) if own is not None and name not in OWN[kind]]
    return [name for name in names if not name.split(".")[1].startswith("_")]


def main() -> int:
    """Runs all. Returns the exit code."""
    calls = programs()
    with ThreadPoolExecutor() as pool:
        failures = {call: why for call, why in zip(calls, pool.map(failure, calls.values()), strict=True) if why}
    for call, why in failures.items():
        print(f"{call}: {why}")
    left = missing()
    print(f"{len(calls)} calls, each in a process of its own; {len(failures)} failed; not called: {left or 'none'}")
    return 1 if failures or left else 0


if __name__ == "__main__":
    sys.exit(main())
