"""Structs of Thrift by Apache's Python package (`pip install thrift==0.25.0`), for the tests.

  make FOLDER                    writes every.binary, every.compact and every.json, beside every.thrift
  check FOLDER OURS PROTOCOL     reads OURS, and compares it with every.json struct by struct

The package's TBinaryProtocol and TCompactProtocol make and read all bytes. What the structs are is told by the
tables below, by hand, for generated code would lose the order of sets and could not have structs as keys.

In every.json: a struct is an object of all its fields; a union an object of one; a map a list of pairs; bytes and
uuids are hexadecimal digits; an enum is a name or decimal digits; what JSON has no number for is a string.
"""

import json
import math
import pathlib
import random
import sys
import uuid

from thrift.Thrift import TType
from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.protocol.TCompactProtocol import TCompactProtocol
from thrift.transport.TTransport import TMemoryBuffer

PROTOCOLS = {"binary": TBinaryProtocol, "compact": TCompactProtocol}

COLORS = {0: "RED", 5: "GREEN", 6: "BLUE"}
WIRE = {"bool": TType.BOOL, "i8": TType.BYTE, "i16": TType.I16, "i32": TType.I32, "i64": TType.I64,
        "double": TType.DOUBLE, "string": TType.STRING, "binary": TType.STRING, "uuid": TType.UUID,
        "color": TType.I32, "list": TType.LIST, "set": TType.SET, "map": TType.MAP, "struct": TType.STRUCT,
        "union": TType.STRUCT}


def lst(item): return ("list", item)
def mp(key, value): return ("map", key, value)


# A struct: id, name, type, and the default if it has one that counts.
POINT = ("struct", [(1, "x", "double"), (2, "y", "double"), (3, "label", "string")])
TROUBLE = ("struct", [(1, "what", "string"), (2, "code", "i32")])
EMPTY = ("struct", [])
SHAPE = ("union", [(1, "circle", "double"), (2, "point", POINT), (3, "numbers", lst("i32")),
                   (4, "name", "string"), (5, "flag", "bool"), (6, "nothing", EMPTY), (7, "color", "color")])
EVERY = ("struct", [
    (1, "id", "i64"), (2, "truth", "bool"), (3, "tiny", "i8"), (4, "small", "i16"), (5, "number", "i32"),
    (6, "large", "i64"), (7, "real", "double"), (8, "text", "string"), (9, "bytes", "binary"),
    (10, "key", "uuid"), (11, "color", "color"), (12, "list_of_ints", lst("i32")),
    (13, "set_of_texts", ("set", "string")), (14, "points", mp("string", POINT)),
    (15, "bools", lst(lst("bool"))), (16, "way", lst(POINT)), (17, "shape", SHAPE),
    (18, "shapes", lst(SHAPE)), (19, "lists", mp("i32", lst("string"))), (20, "keyed", mp(POINT, "color")),
    (21, "trouble", TROUBLE), (22, "empty", EMPTY),
    (30, "plain_truth", "bool", True), (31, "plain_number", "i32", 42),
    (32, "plain_text", "string", 'as "said"'), (33, "plain_color", "color", 5),
    (34, "plain_words", lst("string"), ["one", "two"]),
    (35, "plain_numbers", mp("string", "i32"), [["a", 1], ["b", 42]]),
    (36, "plain_point", POINT, {"x": 0.0, "y": 0.0}), (37, "plain_shape", SHAPE, {"numbers": [1, 2]}),
    (38, "plain_real", "double", 2.0), (39, "plain_set", ("set", "i16"), [3, -3]), (40, "plain", "string"),
    (41, "with_default", "i32"), (42, "plain_key", "uuid", bytes.fromhex("00112233445566778899aabbccddeeff")),
    (43, "plain_bytes", "binary", b"\t"), (100, "far", "bool"), (-5, "below", "i8"),
    (32767, "last", mp("binary", ("set", "double")))])


def kind_of(t):
    return t if isinstance(t, str) else t[0]


def wire(t):
    return WIRE[kind_of(t)]


def write(p, t, v):
    kind = kind_of(t)
    if kind in ("struct", "union"):
        p.writeStructBegin("")
        for id, name, inner, *_ in t[1]:
            if name in v:
                p.writeFieldBegin(name, wire(inner), id)
                write(p, inner, v[name])
                p.writeFieldEnd()
        p.writeFieldStop()
        p.writeStructEnd()
    elif kind in ("list", "set"):
        begin, end = ((p.writeListBegin, p.writeListEnd), (p.writeSetBegin, p.writeSetEnd))[kind == "set"]
        begin(wire(t[1]), len(v))
        for item in v:
            write(p, t[1], item)
        end()
    elif kind == "map":
        p.writeMapBegin(wire(t[1]), wire(t[2]), len(v))
        for key, value in v:
            write(p, t[1], key)
            write(p, t[2], value)
        p.writeMapEnd()
    elif kind == "uuid":
        p.writeUuid(uuid.UUID(bytes=v))
    else:
        {"bool": p.writeBool, "i8": p.writeByte, "i16": p.writeI16, "i32": p.writeI32, "color": p.writeI32,
         "i64": p.writeI64, "double": p.writeDouble, "string": p.writeString, "binary": p.writeBinary}[kind](v)


def read(p, t):
    kind = kind_of(t)
    if kind in ("struct", "union"):
        found, by_id = {}, {f[0]: f for f in t[1]}
        p.readStructBegin()
        while True:
            _, ttype, id = p.readFieldBegin()
            if ttype == TType.STOP:
                break
            _, name, inner, *_ = by_id[id]
            assert ttype == wire(inner), f"{name} is of type {ttype}"
            assert name not in found, f"{name} is there twice"
            found[name] = read(p, inner)
            p.readFieldEnd()
        p.readStructEnd()
        return found
    if kind in ("list", "set"):
        begin, end = ((p.readListBegin, p.readListEnd), (p.readSetBegin, p.readSetEnd))[kind == "set"]
        ttype, count = begin()
        assert ttype == wire(t[1]) or count == 0
        items = [read(p, t[1]) for _ in range(count)]
        end()
        return items
    if kind == "map":
        _, _, count = p.readMapBegin()
        entries = [[read(p, t[1]), read(p, t[2])] for _ in range(count)]
        p.readMapEnd()
        return entries
    if kind == "uuid":
        return p.readUuid().bytes
    return {"bool": p.readBool, "i8": p.readByte, "i16": p.readI16, "i32": p.readI32, "color": p.readI32,
            "i64": p.readI64, "double": p.readDouble, "string": p.readString, "binary": p.readBinary}[kind]()


def plain(t, v):
    """The form of every.json."""
    kind = kind_of(t)
    if kind == "struct":
        values = [(name, inner, v.get(name, default[0] if default else None)) for _, name, inner, *default in t[1]]
        return {name: None if value is None else plain(inner, value) for name, inner, value in values}
    if kind == "union":
        (name, inner), = [(f[1], f[2]) for f in t[1] if f[1] in v]
        return {name: plain(inner, v[name])}
    if kind in ("list", "set"):
        return [plain(t[1], item) for item in v]
    if kind == "map":
        return [[plain(t[1], key), plain(t[2], value)] for key, value in v]
    if kind in ("binary", "uuid"):
        return v.hex()
    if kind == "color":
        return COLORS.get(v, str(v))
    if kind == "double" and not math.isfinite(v):
        return "NaN" if math.isnan(v) else "Infinity" if v > 0 else "-Infinity"
    return v


HARD = {
    "bool": [True, False],
    "i8": [0, -1, 127, -128],
    "i16": [0, 1, 32767, -32768, 300],
    "i32": [0, -1, 2147483647, -2147483648, 128],
    "i64": [0, 1, 2**63 - 1, -2**63, -300, 2**32],
    "double": [0.0, -0.0, 1.5, math.nan, math.inf, -math.inf, 5e-324, 1.7976931348623157e308, 0.1],
    "string": ["", "a", "naïve", "日本", "\U0001f600", "a\x00b", "\u200b", "x" * 200],
    "binary": [b"", b"\x00", b"\xff\xfe", bytes(range(256)), b"abc"],
    "color": [0, 5, 6, 1, -1, 2147483647],
}


def some(t, r):
    kind = kind_of(t)
    if kind == "struct":
        must = {"id", "x", "y"}
        return {f[1]: some(f[2], r) for f in t[1] if f[1] in must or r.random() < 0.6}
    if kind == "union":
        f = r.choice(t[1])
        return {f[1]: some(f[2], r)}
    if kind in ("list", "set"):
        return [some(t[1], r) for _ in range(r.choice([0, 1, 2, 5, 14, 15, 16] if isinstance(t[1], str) else [0, 1, 3]))]
    if kind == "map":
        return [[some(t[1], r), some(t[2], r)] for _ in range(r.choice([0, 1, 3]))]
    if kind == "uuid":
        return r.randbytes(16)
    return r.choice(HARD[kind])


def rows():
    r = random.Random(12)
    every = [{"id": 0}]
    # Each hard value at least once, in fields of its own.
    for n in range(max(len(v) for v in HARD.values())):
        row = {"id": HARD["i64"][n % 6]}
        for _, name, t, *_ in EVERY[1]:
            if isinstance(t, str) and t in HARD and name != "id":
                row[name] = HARD[t][n % len(HARD[t])]
        every.append(row)
    # Each member of the union.
    for f in SHAPE[1]:
        every.append({"id": len(every), "shape": {f[1]: some(f[2], r)},
                      "shapes": [{f[1]: some(f[2], r)}], "plain_shape": {f[1]: some(f[2], r)}})
    while len(every) < 50:
        row = some(EVERY, r)
        every.append(row)
    return every


def make(folder):
    every = rows()
    for name, protocol in PROTOCOLS.items():
        buffer = TMemoryBuffer()
        for row in every:
            write(protocol(buffer), EVERY, row)
        (folder / f"every.{name}").write_bytes(buffer.getvalue())
    lines = [json.dumps(plain(EVERY, row), ensure_ascii=False) + "\n" for row in every]
    (folder / "every.json").write_text("".join(lines), encoding="utf-8")


def check(folder, ours, name):
    buffer = TMemoryBuffer(pathlib.Path(ours).read_bytes())
    expected = (folder / "every.json").read_text(encoding="utf-8").split("\n")[:-1]
    for number, line in enumerate(expected):
        try:
            found = json.dumps(plain(EVERY, read(PROTOCOLS[name](buffer), EVERY)), ensure_ascii=False)
        except Exception as e:
            sys.exit(f"struct {number}: {type(e).__name__}: {e}")
        if found != line:
            sys.exit(f"struct {number}: {found} where {line} should be")
    if buffer.read(1):
        sys.exit("more bytes than structs")
    print(f"{len(expected)} structs of {name} are the same")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["make", folder]:
            make(pathlib.Path(folder))
        case ["check", folder, ours, protocol]:
            check(pathlib.Path(folder), ours, protocol)
        case _:
            sys.exit(__doc__)
