"""Types as kinds that can be compared, of trevni, DuckDB and pyarrow.

| kind          | Arrow (trevni, pyarrow)            | DuckDB                              |
|---------------|------------------------------------|-------------------------------------|
| int           | integers of all widths             | TINYINT to HUGEINT, with or without sign |
| float         | floating-point numbers             | FLOAT, DOUBLE                       |
| decimal       | decimals                           | DECIMAL                             |
| bool          | boolean                            | BOOLEAN                             |
| text          | utf8, large_utf8, utf8_view        | VARCHAR, UUID                       |
| binary        | binary                             | BLOB                                |
| date          | date32, date64                     | DATE                                |
| time          | time32, time64                     | TIME                                |
| timestamp     | timestamps without a zone          | TIMESTAMP of all units              |
| timestamptz   | timestamps with a zone             | TIMESTAMP WITH TIME ZONE            |
| null          | null                               | no such type                        |
| json          | no such type                       | JSON: what has no single type       |
| list, struct, map | by the kinds of what is in them | LIST, STRUCT, MAP                  |

Kinds agree when they are the same, and further where a peer has no such type or no such rule:
1. null agrees with DuckDB's VARCHAR and JSON, which are its types for columns without values.
2. text agrees with DuckDB's JSON: values of several types have none that they share.
3. JSON's strings are text. DuckDB and pyarrow take some for dates and times: these agree with text in JSON files.
4. A struct agrees with DuckDB's MAP, which is its type for objects of many keys, if all its fields agree with the values.
"""

import collections
import io
import json

import corpora_values

Column = collections.namedtuple("Column", "file column ours duckdb pyarrow agrees")
MOMENTS = ["date", "time", "timestamp", "timestamptz"]


def of_arrow(data_type):
    import pyarrow.types as t

    if t.is_dictionary(data_type):
        return of_arrow(data_type.value_type)
    if t.is_struct(data_type):
        fields = [data_type.field(i) for i in range(data_type.num_fields)]
        return ("struct", {field.name: of_arrow(field.type) for field in fields})
    if t.is_map(data_type):
        return ("map", of_arrow(data_type.item_type))
    if t.is_list(data_type) or t.is_large_list(data_type) or t.is_fixed_size_list(data_type):
        return ("list", of_arrow(data_type.value_type))
    if t.is_timestamp(data_type):
        return "timestamptz" if data_type.tz else "timestamp"
    tests = [
        ("int", t.is_integer), ("float", t.is_floating), ("decimal", t.is_decimal), ("bool", t.is_boolean),
        ("text", t.is_string), ("text", t.is_large_string), ("text", t.is_string_view), ("binary", t.is_binary),
        ("date", t.is_date), ("time", t.is_time), ("null", t.is_null),
    ]
    return next((kind for kind, test in tests if test(data_type)), str(data_type))


def of_duckdb(data_type):
    if str(data_type) == "JSON":
        return "json"
    name = data_type.id
    if name == "struct":
        return ("struct", {name: of_duckdb(child) for name, child in data_type.children})
    if name == "map":
        return ("map", of_duckdb(dict(data_type.children)["value"]))
    if name == "list":
        return ("list", of_duckdb(data_type.children[0][1]))
    if name.removeprefix("u") in ["tinyint", "smallint", "integer", "bigint", "hugeint"]:
        return "int"
    if name.startswith("timestamp"):
        return "timestamptz" if "time zone" in name else "timestamp"
    kinds = {"float": "float", "double": "float", "decimal": "decimal", "boolean": "bool", "varchar": "text",
             "uuid": "text", "blob": "binary", "date": "date", "time": "time"}
    return kinds.get(name, name)


def of_arrow_file(path):
    """The columns of an Arrow file: names and kinds."""
    import pyarrow.ipc

    with pyarrow.ipc.open_file(path) as file:
        return [(field.name, of_arrow(field.type)) for field in file.schema]


def by_duckdb(check):
    import duckdb

    path = str(check.path).replace("'", "''")
    if check.is_json:
        call = f"read_json_auto('{path}', sample_size=-1, maximum_object_size=1000000000)"
    else:
        call = f"read_csv('{path}', sample_size=-1, header={str(check.has_header).lower()})"
    with duckdb.connect() as connection:
        relation = connection.sql(f"SELECT * FROM {call}")
        return [(name, of_duckdb(kind)) for name, kind in zip(relation.columns, relation.types)]


def by_pyarrow(check):
    import pyarrow.csv
    import pyarrow.json

    if check.is_json:
        # It reads only lines of JSON.
        rows = corpora_values.json_rows(check.path)
        lines = "".join(json.dumps(row) + "\n" for row in rows).encode()
        options = pyarrow.json.ReadOptions(block_size=max(1 << 20, len(lines) + 1))
        schema = pyarrow.json.read_json(io.BytesIO(lines), read_options=options).schema
    else:
        read = pyarrow.csv.ReadOptions(autogenerate_column_names=not check.has_header, block_size=1 << 28)
        parse = pyarrow.csv.ParseOptions(delimiter=corpora_values.delimiter(check.path), newlines_in_values=True)
        schema = pyarrow.csv.read_csv(check.path, read_options=read, parse_options=parse).schema
    return [(field.name, of_arrow(field.type)) for field in schema]


def agrees(ours, theirs, is_json):
    if ours == theirs:
        return True
    if ours == "null":
        return theirs in ["text", "json"]
    if ours == "text":
        return theirs == "json" or (is_json and theirs in MOMENTS)
    if not (isinstance(ours, tuple) and isinstance(theirs, tuple)):
        return False
    if ours[0] == theirs[0] == "struct":
        same_names = sorted(ours[1]) == sorted(theirs[1])
        return same_names and all(agrees(kind, theirs[1][name], is_json) for name, kind in ours[1].items())
    if ours[0] == "struct" and theirs[0] == "map":
        return all(agrees(kind, theirs[1], is_json) for kind in ours[1].values())
    return ours[0] == theirs[0] and agrees(ours[1], theirs[1], is_json)


def shown(kind):
    if not isinstance(kind, tuple):
        return kind
    if kind[0] == "struct":
        return "{" + ", ".join(f"{name}: {shown(field)}" for name, field in kind[1].items()) + "}"
    return f"{kind[0]}<{shown(kind[1])}>"


def compare(check, ours):
    """The columns of a file, each with its kinds by all three."""
    from corpora import WIDE

    peers = []
    for peer in [by_duckdb, by_pyarrow]:
        try:
            peers.append(peer(check))
        except Exception as e:
            peers.append(f"fails: {' '.join(str(e).split())[:80]}")
    if len(ours) > WIDE:
        ours = [("(all columns)", ("struct", dict(ours)))]
        peers = [peer if isinstance(peer, str) else whole(peer) for peer in peers]
    columns = []
    for place, (name, kind) in enumerate(ours):
        theirs = [of_column(peer, place, name, check.is_json) for peer in peers]
        same = any(not isinstance(k, Missing) and agrees(kind, k, check.is_json) for k in theirs)
        columns.append(Column(check.name, name, *[shown(k)[:60] for k in [kind, *theirs]], same))
    return columns


def whole(columns):
    """All columns as one; DuckDB makes one map of an object of many keys."""
    only = columns[0][1]
    is_map = len(columns) == 1 and isinstance(only, tuple) and only[0] == "map"
    return [("(all columns)", only if is_map else ("struct", dict(columns)))]


class Missing(str):
    """Why a peer has no kind for a column."""


def of_column(peer, place, name, is_json):
    """The kind of a column: by name in JSON, in which columns have no order, otherwise by place."""
    if isinstance(peer, str):
        return Missing(peer)
    if is_json:
        return dict(peer).get(name, Missing("no such column"))
    return peer[place][1] if place < len(peer) else Missing("no such column")
