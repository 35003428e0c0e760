"""Values of text files before and after a conversion."""

import bz2
import csv
import datetime
import gzip
import itertools
import json
import lzma
import re
import sys

OPENERS = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
# What counts as a missing number, as pyarrow has it.
NULLS = {"", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "N/A", "NA", "NULL",
         "NaN", "n/a", "nan", "null", "\\N"}


def text_of(path):
    with OPENERS.get(path.suffix, open)(path, "rb") as file:
        raw = file.read()
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def delimiter(path):
    return "\t" if ".tsv" in path.suffixes else ","


def json_rows(path):
    """The objects of an array, of lines, or the one that there is."""
    text = text_of(path)
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    value = json.loads(text)
    return value if isinstance(value, list) else [value]


def csv_rows(path, has_header):
    """The fields of all lines below the names."""
    csv.field_size_limit(sys.maxsize)
    rows = csv.reader(text_of(path).splitlines(keepends=True), delimiter=delimiter(path))
    return [row for row in rows if row][1 if has_header else 0 :]


def text_difference(check, left, right, names):
    """The first line in which two files differ; `None` if they are the same. Without names, only values count."""
    if names:
        pairs = itertools.zip_longest(left.read_text().splitlines(), right.read_text().splitlines())
    elif check.is_json:
        pairs = itertools.zip_longest(map(without_names, json_rows(left)), map(without_names, json_rows(right)))
    else:
        pairs = itertools.zip_longest(*(csv_rows(path, check.has_header) for path in [left, right]))
    for line, (one, other) in enumerate(pairs, 1):
        if one != other:
            return f"line {line}: {str(one)[:100]} != {str(other)[:100]}"
    return None


def without_names(value):
    if isinstance(value, dict):
        return [without_names(item) for item in value.values()]
    return [without_names(item) for item in value] if isinstance(value, list) else value


def difference(check, direct, columns):
    """The first value that is not what the file has; `None` if all are."""
    if check.is_json:
        rows, ours = json_rows(check.path), json_rows(direct)
        same = lambda row, our, _: same_json(bare(row), bare(our))
    else:
        rows, ours = (csv_rows(path, check.has_header) for path in [check.path, direct])
        same = same_cells
    if len(rows) != len(ours):
        return f"{len(ours)} rows of {len(rows)}"
    for number, (row, our) in enumerate(zip(rows, ours), 1):
        if not same(row, our, columns):
            return f"row {number}: {str(row)[:120]} became {str(our)[:120]}"
    return None


def bare(value):
    """JSON without nulls and without objects that hold nothing else: for a column, they are the same as no value."""
    if isinstance(value, dict):
        fields = {name: bare(item) for name, item in value.items()}
        return {name: item for name, item in fields.items() if item is not None} or None
    return [bare(item) for item in value] if isinstance(value, list) else value


def same_json(row, our):
    """Whether values are equal; where a column has values of several types, they are text."""
    if isinstance(row, dict) and isinstance(our, dict):
        return row.keys() == our.keys() and all(same_json(item, our[name]) for name, item in row.items())
    if isinstance(row, list) and isinstance(our, list):
        return len(row) == len(our) and all(map(same_json, row, our))
    if isinstance(our, str) and not isinstance(row, str):
        try:
            return row == json.loads(our)
        except ValueError:
            return False
    return row == our


def same_cells(row, our, columns):
    return len(row) == len(our) == len(columns) and all(
        same_cell(cell, ours, kind) for cell, ours, (_, kind) in zip(row, our, columns)
    )


def same_cell(cell, ours, kind):
    if cell == ours:
        return True
    if kind == "text":
        return False
    cell = cell.strip()
    if ours == "":
        return cell in NULLS
    try:
        if kind == "int":
            return int(cell) == int(ours)
        if kind == "float":
            return float(cell) == float(ours) or cell.lower() == ours.lower() == "nan"
        if kind == "timestamptz":
            return datetime.datetime.fromisoformat(cell) == datetime.datetime.fromisoformat(ours)
    except ValueError:
        return False
    if kind == "bool":
        return cell.lower() == ours.lower()
    return digits(cell) == digits(ours)


def digits(moment):
    """The numbers of a date or a time, without zeros at the end."""
    numbers = re.findall(r"\d+", moment)
    while numbers and not numbers[-1].strip("0"):
        numbers.pop()
    return numbers
