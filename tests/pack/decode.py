"""A second decoder of Trevni files whose columns are packed, written from spec/pack.md and spec/trevni.md.

    decode.py FILE [--kinds]

Prints a line of JSON for each column: its name and type; of an array column, lengths; and values, end to end. Floats
are their bits in hexadecimal, bytes hexadecimal, nulls only how many there are. With --kinds a last line says which
kinds of each sort it has met. It checks all that the specification says, and is slow: its purpose is to be plain.
"""

import json
import sys
import zlib

sys.dont_write_bytecode = True  # Nothing is left beside the sources.

from packed import Cursor, Malformed, bits, check, floats, meet, met, numbers, signed, strings

FIXED = {"fixed32": 4, "fixed64": 8, "float": 4, "double": 8}
FLOATS = {"float": 4, "double": 8}


def zstd():
    """What undoes zstd, if this Python has it."""
    try:
        from compression import zstd as module

        return module.decompress
    except ImportError:
        pass
    try:
        import zstandard

        return lambda data: zstandard.ZstdDecompressor().decompressobj().decompress(data)
    except ImportError:
        return None


# Values without a codec


def one_value(cursor, kind):
    """One value as it is serialised, and not a boolean."""
    if kind in FLOATS:
        return cursor.fixed(FLOATS[kind])
    if kind in FIXED:
        return signed(cursor.fixed(FIXED[kind]), 8 * FIXED[kind])
    if kind in ("int", "long"):
        return cursor.long()
    return cursor.bytes()


def serialised_values(cursor, kind, n):
    if kind == "null":
        return [None] * n
    if kind == "boolean":
        data = cursor.take((n + 7) // 8)
        return [data[i // 8] >> (i % 8) & 1 == 1 for i in range(n)]
    return [one_value(cursor, kind) for _ in range(n)]


def serialised(cursor, kind, array, items):
    """Lengths and values of a block of form 0."""
    if not array:
        return None, serialised_values(cursor, kind, items)
    lengths, values = [], []
    while len(lengths) < items:
        length = cursor.long()
        many = 1
        if length < 0:
            many, length = (1 - length) // 2 + 1, (length + 1) & 1
        check(len(lengths) + many <= items, "a run past the block")
        for _ in range(many):
            lengths.append(length)
            values += serialised_values(cursor, kind, length)
    return lengths, values


# Packed values


def packed_values(cursor, kind, n):
    if kind == "null":
        return [None] * n
    if kind == "boolean":
        return bits(cursor, n)
    if kind in ("int", "fixed32"):
        values = numbers(cursor, n)
        check(all(value == signed(value, 32) for value in values), "an int of more than 32 bits")
        return values
    if kind in ("long", "fixed64"):
        return numbers(cursor, n)
    if kind in FLOATS:
        return floats(cursor, n, FLOATS[kind])
    return strings(cursor, n)


def packed(cursor, kind, array, items):
    """Lengths and values of a block of form 1, behind its form byte."""
    check(cursor.long() == items, "a block of other items")
    if not array:
        return None, packed_values(cursor, kind, items)
    counts = meet("counts", cursor.byte())
    check(counts <= 2, f"counts of kind {counts}")
    if counts == 0:
        n = cursor.long()
        lengths = [length & 0xFFFFFFFF for length in numbers(cursor, items)]
        check(sum(lengths) == n, "lengths of other values")
        return lengths, packed_values(cursor, kind, n)
    there = bits(cursor, items)
    values = packed_values(cursor, kind, items if counts == 1 else sum(there))
    if counts == 1:
        values = [value for value, bit in zip(values, there) if bit]
    return [int(bit) for bit in there], values


def block(payload, size, kind, array, items, codec):
    """Lengths and values of a block."""
    cursor = Cursor(payload)
    form = meet("forms", cursor.byte())
    if form == 2:
        check(codec == "pack+zstd", "zstd where the codec has none")
        undo = zstd()
        if undo is None:
            sys.exit("no zstd in this Python: a block of form 2 cannot be read")
        inner = cursor.count(2 * size + 64)
        payload = undo(payload[cursor.at :])
        check(len(payload) == inner, "zstd of another size")
        cursor = Cursor(payload)
    check(form <= 2, f"a block of form {form}")
    read = serialised if form == 0 else packed
    check(form != 0 or size == len(payload) - 1, "values of another size")
    found = read(cursor, kind, array, items)
    check(cursor.at == len(payload), "bytes are left over")
    if kind == "string":
        [value.decode() for value in found[1]]
    return found


# Files


class Column:
    """A column and what has been read of it."""

    def __init__(self, metadata, of_file):
        text = lambda key, other: metadata.get(key, of_file.get(key, other)).decode()
        self.name = metadata["trevni.name"].decode()
        self.type = metadata["trevni.type"].decode().lower()
        self.codec = text("trevni.codec", b"null")
        self.checksum = text("trevni.checksum", b"null")
        self.array = "trevni.array" in metadata
        self.indexed = "trevni.values" in metadata
        parent = metadata.get("trevni.parent")
        self.parent = parent and parent.decode()
        self.lengths, self.values = [], []
        self.items = []

    def read(self, cursor, parent):
        """Reads its blocks. `items` becomes how many values each row has."""
        check(self.codec in ("pack", "pack+zstd"), f"codec {self.codec}: only packed columns")
        check(self.checksum in ("null", "crc32-stored"), f"checksum {self.checksum}")
        blocks = []
        for _ in range(cursor.fixed(4)):
            rows, size, stored = (cursor.fixed(4) for _ in range(3))
            first = None
            if self.indexed:
                first = cursor.byte() == 1 if self.type == "boolean" else one_value(cursor, self.type)
            blocks.append((rows, size, stored, first))
        row = 0
        for rows, size, stored, first in blocks:
            of_parent = parent.items[row : row + rows] if parent else [1] * rows
            self.block(cursor, size, stored, of_parent, first)
            row += rows
        return row

    def block(self, cursor, size, stored, of_parent, first):
        payload = cursor.take(stored)
        if self.checksum == "crc32-stored":
            proof = int.from_bytes(cursor.take(4), "big")
            check(zlib.crc32(payload) == proof, f"column {self.name}: the checksum is another")
        found = block(payload, size, self.type, self.array, sum(of_parent), self.codec)
        lengths, values = found
        check(first is None or values[0] == first, "the first value is another")
        self.values += values
        if lengths is None:
            self.items += of_parent
            return
        self.lengths += lengths
        at = 0
        for count in of_parent:
            self.items.append(sum(lengths[at : at + count]))
            at += count

    def shown(self):
        line = {"name": self.name, "type": self.type}
        if self.array:
            line["lengths"] = self.lengths
        values = self.values
        if self.type == "null":
            values = len(values)
        elif self.type in FLOATS:
            values = [f"{value:0{2 * FLOATS[self.type]}x}" for value in values]
        elif self.type == "string":
            values = [value.decode() for value in values]
        elif self.type == "bytes":
            values = [value.hex() for value in values]
        line["values"] = values
        return line


def read(data):
    """The columns of a file."""
    cursor = Cursor(data)
    check(cursor.take(3) == b"Trv" and cursor.byte() == 2, "no Trevni file of version 2")
    rows, count = cursor.fixed(8), cursor.fixed(4)
    of_file = cursor.metadata()
    columns = [Column(cursor.metadata(), of_file) for _ in range(count)]
    starts = [cursor.fixed(8) for _ in columns]
    for i, (column, start) in enumerate(zip(columns, starts)):
        above = [other for other in columns[:i] if other.array and other.name == column.parent]
        check(not column.parent or above, "no parent of that name")
        there = column.read(Cursor(data, start), above[-1] if above else None)
        check(there == rows, f"column {column.name} has {there} rows of {rows}")
    return columns


def main(path, *options):
    with open(path, "rb") as file:
        columns = read(file.read())
    for column in columns:
        print(json.dumps(column.shown()))
    if "--kinds" in options:
        print(json.dumps({sort: sorted(kinds) for sort, kinds in sorted(met.items())}))


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (Malformed, UnicodeDecodeError) as error:
        sys.exit(f"{sys.argv[1]}: {error}")
