#!/usr/bin/env python3
"""Messages made, and judged, by the `protobuf` package of Python.

    python3 -m venv venv && venv/bin/pip install protobuf
    venv/bin/python protobuf_peer.py make FOLDER            makes every.desc, every.pb, every.json, edition.*
    venv/bin/python protobuf_peer.py check FOLDER OURS.pb   compares OURS.pb with every.pb, message by message

every.desc is a FileDescriptorSet, every.pb messages `every.Every` with their lengths before them, and every.json a
line for each, to be read without Protocol Buffers:

    floats     "f64:" or "f32:" and the bits as hexadecimal digits
    bytes      "hex:" and hexadecimal digits
    enum       the name, or the number in digits if it has none
    message    an object with all fields, null for the absent ones
    repeated   a list
    map        a list of [key, value], sorted by key
    oneof      null, or an object of the one field that is set
    Timestamp, Duration   nanoseconds
    wrapper    null, or what is in it

edition.desc, edition.pb and edition.json are a few messages `every.Edition` of a file of edition 2023, whose features
say what `required`, `packed` and `group` said before.
"""

import json
import random
import struct
import sys
from pathlib import Path

from google.protobuf import any_pb2, descriptor_pb2, descriptor_pool, duration_pb2, message_factory
from google.protobuf import timestamp_pb2, wrappers_pb2

F = descriptor_pb2.FieldDescriptorProto
NANOS = 1_000_000_000
SCALARS = {
    "double": F.TYPE_DOUBLE, "float": F.TYPE_FLOAT, "int32": F.TYPE_INT32, "int64": F.TYPE_INT64,
    "uint32": F.TYPE_UINT32, "uint64": F.TYPE_UINT64, "sint32": F.TYPE_SINT32, "sint64": F.TYPE_SINT64,
    "fixed32": F.TYPE_FIXED32, "fixed64": F.TYPE_FIXED64, "sfixed32": F.TYPE_SFIXED32,
    "sfixed64": F.TYPE_SFIXED64, "bool": F.TYPE_BOOL, "string": F.TYPE_STRING, "bytes": F.TYPE_BYTES,
}
WRAPPERS = ["Double", "Float", "Int64", "UInt64", "Int32", "UInt32", "Bool", "String", "Bytes"]


def set_type(field, kind):
    if kind in SCALARS:
        field.type = SCALARS[kind]
    elif kind.startswith("enum "):
        field.type, field.type_name = F.TYPE_ENUM, "." + kind[5:]
    elif kind.startswith("group "):
        field.type, field.type_name = F.TYPE_GROUP, "." + kind[6:]
    else:
        field.type, field.type_name = F.TYPE_MESSAGE, "." + kind


def add(message, name, number, kind, label=F.LABEL_OPTIONAL, oneof=None):
    field = message.field.add(name=name, number=number, label=label)
    set_type(field, kind)
    if oneof is not None:
        field.oneof_index = oneof
    return field


def add_map(message, full_name, name, number, key, value):
    entry_name = "".join(part.capitalize() for part in name.split("_")) + "Entry"
    entry = message.nested_type.add(name=entry_name)
    entry.options.map_entry = True
    add(entry, "key", 1, key)
    add(entry, "value", 2, value)
    add(message, name, number, f"{full_name}.{entry_name}", F.LABEL_REPEATED)


def old_file():
    file = descriptor_pb2.FileDescriptorProto(name="old.proto", package="every", syntax="proto2")
    old = file.message_type.add(name="Old")
    add(old, "need", 1, "int32", F.LABEL_REQUIRED)
    add(old, "may", 2, "string")
    add(old, "with_default", 3, "int32").default_value = "42"
    add(old, "numbers", 4, "int32", F.LABEL_REPEATED)
    add(old, "packed", 5, "int32", F.LABEL_REPEATED).options.packed = True
    part = old.nested_type.add(name="Part")
    add(part, "a", 1, "int32")
    add(part, "b", 2, "string", F.LABEL_REPEATED)
    add(old, "part", 6, "group every.Old.Part")
    item = old.nested_type.add(name="Item")
    add(item, "n", 1, "sint32", F.LABEL_REQUIRED)
    add(old, "item", 7, "group every.Old.Item", F.LABEL_REPEATED)
    return file


def every_file():
    file = descriptor_pb2.FileDescriptorProto(name="every.proto", package="every", syntax="proto3")
    for name in ["timestamp", "duration", "wrappers", "any"]:
        file.dependency.append(f"google/protobuf/{name}.proto")
    file.dependency.append("old.proto")
    color = file.enum_type.add(name="Color")
    color.options.allow_alias = True
    for name, number in [("NONE", 0), ("RED", 1), ("CRIMSON", 1), ("GREEN", 2), ("FAR", -7)]:
        color.value.add(name=name, number=number)
    label = file.message_type.add(name="Label")
    add(label, "text", 1, "string")
    add(label, "tags", 2, "string", F.LABEL_REPEATED)
    point = file.message_type.add(name="Point")
    add(point, "y", 2, "double")
    add(point, "x", 1, "double")
    add(point, "label", 3, "every.Label")
    every = file.message_type.add(name="Every")
    every.oneof_decl.add(name="choice")
    every.oneof_decl.add(name="second")
    # Declared first, written late.
    add(every, "id", 200, "int64")
    for i, kind in enumerate(SCALARS):
        add(every, f"f_{kind}", 1 + i, kind)
    add(every, "color", 16, "enum every.Color")
    add(every, "c_int", 20, "int32", oneof=0)
    add(every, "c_text", 21, "string", oneof=0)
    add(every, "c_point", 22, "every.Point", oneof=0)
    add(every, "c_color", 23, "enum every.Color", oneof=0)
    add(every, "c_wrapped", 24, "google.protobuf.StringValue", oneof=0)
    add(every, "c_at", 25, "google.protobuf.Timestamp", oneof=0)
    add(every, "s_bool", 26, "bool", oneof=1)
    add(every, "s_any", 19, "google.protobuf.Any", oneof=1)
    for i, kind in enumerate(["int32", "string", "double", "bool", "bytes", "enum every.Color"]):
        name = kind.split(".")[-1].lower()
        add(every, f"o_{name}", 30 + i, kind, oneof=2 + i).proto3_optional = True
        every.oneof_decl.add(name=f"_o_{name}")
    repeated = ["int32", "double", "float", "string", "bytes", "bool", "sint64", "fixed32", "uint64"]
    for i, kind in enumerate(repeated):
        add(every, f"r_{kind}", 40 + i, kind, F.LABEL_REPEATED)
    add(every, "r_unpacked", 50, "int32", F.LABEL_REPEATED).options.packed = False
    add(every, "r_color", 51, "enum every.Color", F.LABEL_REPEATED)
    add(every, "r_point", 52, "every.Point", F.LABEL_REPEATED)
    add(every, "r_at", 53, "google.protobuf.Timestamp", F.LABEL_REPEATED)
    add(every, "r_wrapped", 54, "google.protobuf.Int64Value", F.LABEL_REPEATED)
    full = "every.Every"
    add_map(every, full, "m_string_int32", 60, "string", "int32")
    add_map(every, full, "m_int64_point", 61, "int64", "every.Point")
    add_map(every, full, "m_bool_string", 62, "bool", "string")
    add_map(every, full, "m_sint32_color", 63, "sint32", "enum every.Color")
    add_map(every, full, "m_uint64_at", 64, "uint64", "google.protobuf.Timestamp")
    add_map(every, full, "m_fixed32_bytes", 65, "fixed32", "bytes")
    add_map(every, full, "m_string_wrapped", 66, "string", "google.protobuf.DoubleValue")
    add(every, "point", 70, "every.Point")
    add(every, "at", 71, "google.protobuf.Timestamp")
    add(every, "took", 72, "google.protobuf.Duration")
    for i, name in enumerate(WRAPPERS):
        add(every, f"w_{name.lower()}", 80 + i, f"google.protobuf.{name}Value")
    add(every, "old", 90, "every.Old")
    add(every, "any", 91, "google.protobuf.Any")
    # A field of a oneof that was declared before.
    add(every, "c_bytes", 5000, "bytes", oneof=0)
    return file


def edition_file():
    file = descriptor_pb2.FileDescriptorProto(name="edition.proto", package="every", syntax="editions")
    file.edition = descriptor_pb2.EDITION_2023
    features = descriptor_pb2.FeatureSet
    part = file.message_type.add(name="Part")
    add(part, "a", 1, "int32")
    edition = file.message_type.add(name="Edition")
    edition.oneof_decl.add(name="choice")
    add(edition, "explicit", 1, "int32")
    add(edition, "implicit", 2, "int32").options.features.field_presence = features.IMPLICIT
    add(edition, "required", 3, "int32").options.features.field_presence = features.LEGACY_REQUIRED
    add(edition, "packed", 4, "int32", F.LABEL_REPEATED)
    expanded = add(edition, "expanded", 5, "int32", F.LABEL_REPEATED)
    expanded.options.features.repeated_field_encoding = features.EXPANDED
    add(edition, "part", 6, "every.Part")
    delimited = add(edition, "delimited", 7, "every.Part")
    delimited.options.features.message_encoding = features.DELIMITED
    delimited = add(edition, "many", 8, "every.Part", F.LABEL_REPEATED)
    delimited.options.features.message_encoding = features.DELIMITED
    add(edition, "x", 9, "int32", oneof=0)
    add(edition, "y", 10, "every.Part", oneof=0).options.features.message_encoding = features.DELIMITED
    # What its options say holds for all fields within.
    inner = edition.nested_type.add(name="Inner")
    inner.options.features.message_encoding = features.DELIMITED
    add(inner, "part", 1, "every.Part")
    add(edition, "inner", 11, "every.Edition.Inner")
    return file


def edition_messages(cls):
    full = cls(explicit=0, implicit=1, required=2, packed=[1, 2], expanded=[3, 300])
    full.part.a, full.delimited.a, full.y.a, full.inner.part.a = 1, 2, 3, 4
    full.many.add().a = 5
    full.many.add()
    return [cls(required=0), full, cls(required=-1, implicit=0, x=0)]


def descriptors():
    files = descriptor_pb2.FileDescriptorSet()
    for module in [timestamp_pb2, duration_pb2, wrappers_pb2, any_pb2]:
        module.DESCRIPTOR.CopyToProto(files.file.add())
    files.file.extend([old_file(), every_file()])
    return files


def class_of(files, name):
    pool = descriptor_pool.DescriptorPool()
    for file in files.file:
        pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(name))


INTS = {
    "int32": (-2**31, 2**31 - 1), "int64": (-2**63, 2**63 - 1), "uint32": (0, 2**32 - 1), "uint64": (0, 2**64 - 1),
}
for narrow in ["sint32", "sfixed32"]:
    INTS[narrow] = INTS["int32"]
for wide in ["sint64", "sfixed64"]:
    INTS[wide] = INTS["int64"]
INTS["fixed32"], INTS["fixed64"] = INTS["uint32"], INTS["uint64"]
DOUBLES = [0.0, -0.0, 1.5, -1e300, 5e-324, 1.7976931348623157e308, float("inf"), float("-inf"), float("nan"), 0.1]
FLOATS = [0.0, -0.0, 1.5, -1e30, 2.0**-149, 3.4028234663852886e38, float("inf"), float("-inf"), float("nan")]
TEXTS = ["", "a", "Grüße, 世界", "\u0000", "😀", "e\u0301", "x" * 200, '"\\\n', "\u2028", "\U0010ffff"]
BLOBS = [b"", b"\x00", b"\xff\xfe", bytes(range(256)), b"text"]
COLORS = [0, 1, 2, -7, 5, 2**31 - 1, -2**31]
# From the first to the last that 64 bits of nanoseconds hold.
MOMENTS = [(0, 0), (-1, 999_999_999), (0, 1), (1_700_000_000, 123_456_789), (-9_223_372_036, 145_224_193),
           (-9_223_372_037, 145_224_192), (9_223_372_036, 854_775_807), (-2_208_988_800, 0), (-1, 0)]
SPANS = [(0, 0), (0, -1), (-1, -500_000_000), (3600, 1), (9_223_372_036, 854_775_807), (-9_223_372_036, -854_775_808)]


def hard(kind):
    if kind in INTS:
        low, high = INTS[kind]
        return [0, 1, low, high, high - 1, low + 1, 127, 128, 300]
    return {"double": DOUBLES, "float": FLOATS, "bool": [False, True], "string": TEXTS, "bytes": BLOBS,
            "every.Color": COLORS}[kind]


def fill_point(point, pick):
    point.x, point.y = pick(DOUBLES), pick(DOUBLES)
    if pick([True, False]):
        point.label.SetInParent()
        point.label.text = pick(TEXTS)
        point.label.tags.extend(pick(TEXTS) for _ in range(pick([0, 1, 3])))


def set_moment(moment, value):
    moment.SetInParent()
    moment.seconds, moment.nanos = value


def fill_scalars(m, pick):
    for kind in SCALARS:
        setattr(m, f"f_{kind}", pick(hard(kind)))
    m.color = pick(COLORS)
    for name, kind in [("int32", "int32"), ("string", "string"), ("double", "double"), ("bool", "bool"),
                       ("bytes", "bytes"), ("color", "every.Color")]:
        if pick([True, False]):
            setattr(m, f"o_{name}", pick(hard(kind)))


def fill_many(m, pick):
    counts = [0, 1, 2, 5]
    for kind in ["int32", "double", "float", "string", "bytes", "bool", "sint64", "fixed32", "uint64"]:
        getattr(m, f"r_{kind}").extend(pick(hard(kind)) for _ in range(pick(counts)))
    m.r_unpacked.extend(pick(hard("int32")) for _ in range(pick(counts)))
    m.r_color.extend(pick(COLORS) for _ in range(pick(counts)))
    for _ in range(pick(counts)):
        fill_point(m.r_point.add(), pick)
        set_moment(m.r_at.add(), pick(MOMENTS))
        m.r_wrapped.add().value = pick(hard("int64"))
    for _ in range(pick(counts)):
        m.m_string_int32[pick(TEXTS)] = pick(hard("int32"))
        fill_point(m.m_int64_point[pick(hard("int64"))], pick)
        m.m_bool_string[pick([True, False])] = pick(TEXTS)
        m.m_sint32_color[pick(hard("int32"))] = pick(COLORS)
        set_moment(m.m_uint64_at[pick(hard("uint64"))], pick(MOMENTS))
        m.m_fixed32_bytes[pick(hard("uint32"))] = pick(BLOBS)
        m.m_string_wrapped[pick(TEXTS)].value = pick(DOUBLES)


def fill_messages(m, pick):
    if pick([True, False]):
        m.point.SetInParent()
        fill_point(m.point, pick)
    if pick([True, False]):
        set_moment(m.at, pick(MOMENTS))
    if pick([True, False]):
        set_moment(m.took, pick(SPANS))
    for name in WRAPPERS:
        if pick([True, False]):
            wrapper = getattr(m, f"w_{name.lower()}")
            wrapper.SetInParent()
            wrapper.value = pick(hard(name.lower()))
    if pick([True, False]):
        m.old.need = pick(hard("int32"))
        if pick([True, False]):
            m.old.may, m.old.with_default = pick(TEXTS), pick([0, 42, -1])
            m.old.part.a = pick(hard("int32"))
            m.old.part.b.extend(pick(TEXTS) for _ in range(pick([0, 2])))
        m.old.numbers.extend(pick(hard("int32")) for _ in range(pick([0, 3])))
        m.old.packed.extend(pick(hard("int32")) for _ in range(pick([0, 3])))
        for _ in range(pick([0, 1, 2])):
            m.old.item.add().n = pick(hard("sint32"))
    if pick([True, False]):
        m.any.type_url, m.any.value = "type.example/" + pick(TEXTS), pick(BLOBS)


def choose(m, branch, pick):
    if branch == "c_point":
        m.c_point.SetInParent()
        fill_point(m.c_point, pick)
    elif branch == "c_wrapped":
        m.c_wrapped.SetInParent()
        m.c_wrapped.value = pick(TEXTS)
    elif branch == "c_at":
        set_moment(m.c_at, pick(MOMENTS))
    elif branch is not None:
        kind = {"c_int": "int32", "c_text": "string", "c_color": "every.Color", "c_bytes": "bytes"}[branch]
        setattr(m, branch, pick(hard(kind)))
    second = pick([None, False, True, "any"])
    if second == "any":
        m.s_any.type_url = pick(TEXTS)
    elif second is not None:
        m.s_bool = second


def messages(cls):
    branches = [None, "c_int", "c_text", "c_point", "c_color", "c_wrapped", "c_at", "c_bytes"]
    made = [cls()]
    # Each branch with its zero, which is written all the same.
    for branch in branches[1:]:
        m = cls(id=len(made))
        choose(m, branch, lambda choices: choices[0])
        made.append(m)
    for i in range(10):
        m = cls(id=-len(made))
        fill_scalars(m, lambda choices: choices[i % len(choices)])
        made.append(m)
    # Everything there, and zero.
    m = cls(id=2**63 - 1)
    for fill in [fill_scalars, fill_many, fill_messages]:
        fill(m, lambda choices: choices[0])
    made.append(m)
    random_choice = random.Random(20240229).choice
    while len(made) < 50:
        m = cls(id=random_choice(hard("int64")))
        for fill in [fill_scalars, fill_many, fill_messages]:
            fill(m, random_choice)
        choose(m, branches[len(made) % len(branches)], random_choice)
        made.append(m)
    return made


def plain_value(field, value):
    if field.type == F.TYPE_DOUBLE:
        return "f64:" + struct.pack(">d", value).hex()
    if field.type == F.TYPE_FLOAT:
        return "f32:" + struct.pack(">f", value).hex()
    if field.type == F.TYPE_BYTES:
        return "hex:" + value.hex()
    if field.type == F.TYPE_ENUM:
        # Of several names the first that was declared.
        names = [v.name for v in field.enum_type.values if v.number == value]
        return names[0] if names else str(value)
    if field.message_type is None:
        return value
    name = field.message_type.full_name
    if name in ("google.protobuf.Timestamp", "google.protobuf.Duration"):
        return value.seconds * NANOS + value.nanos
    if name.startswith("google.protobuf.") and name.endswith("Value"):
        return plain_value(field.message_type.fields_by_name["value"], value.value)
    return explicit(value)


def explicit(message):
    """A message in the form of every.json."""
    out = {}
    for field in message.DESCRIPTOR.fields:
        oneof = field.containing_oneof
        if oneof is not None and not oneof.name.startswith("_"):
            chosen = message.WhichOneof(oneof.name)
            value = chosen and {chosen: plain_value(oneof_field(oneof, chosen), getattr(message, chosen))}
            out.setdefault(oneof.name, value)
        elif field.message_type is not None and field.message_type.GetOptions().map_entry:
            of = field.message_type.fields_by_name["value"]
            entries = sorted(getattr(message, field.name).items(), key=lambda entry: entry[0])
            out[field.name] = [[key, plain_value(of, value)] for key, value in entries]
        elif field.is_repeated:
            out[field.name] = [plain_value(field, value) for value in getattr(message, field.name)]
        elif field.has_presence and not message.HasField(field.name):
            out[field.name] = None
        else:
            out[field.name] = plain_value(field, getattr(message, field.name))
    return out


def oneof_field(oneof, name):
    return next(field for field in oneof.fields if field.name == name)


def delimited(made):
    out = bytearray()
    for message in made:
        body = message.SerializeToString(deterministic=True)
        size = len(body)
        while size >= 0x80:
            out.append(size & 0x7F | 0x80)
            size >>= 7
        out.append(size)
        out += body
    return bytes(out)


def parse(cls, stream):
    made, at = [], 0
    while at < len(stream):
        size = shift = 0
        while True:
            byte = stream[at]
            at, size, shift = at + 1, size | (byte & 0x7F) << shift, shift + 7
            if byte < 0x80:
                break
        if at + size > len(stream):
            raise SystemExit(f"message {len(made)} is cut off")
        made.append(cls.FromString(stream[at:at + size]))
        at += size
    return made


def make(folder):
    files = descriptors()
    store(folder, "every", files, messages(class_of(files, "every.Every")))
    files = descriptor_pb2.FileDescriptorSet(file=[edition_file()])
    store(folder, "edition", files, edition_messages(class_of(files, "every.Edition")))


def store(folder, name, files, made):
    (folder / f"{name}.desc").write_bytes(files.SerializeToString(deterministic=True))
    (folder / f"{name}.pb").write_bytes(delimited(made))
    lines = [json.dumps(explicit(message), ensure_ascii=False, separators=(",", ":")) for message in made]
    (folder / f"{name}.json").write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    print(f"{len(made)} messages of {name}")


def check(folder, ours):
    files = descriptor_pb2.FileDescriptorSet.FromString((folder / "every.desc").read_bytes())
    cls = class_of(files, "every.Every")
    wanted, given = parse(cls, (folder / "every.pb").read_bytes()), parse(cls, ours.read_bytes())
    if len(wanted) != len(given):
        raise SystemExit(f"{len(wanted)} messages are wanted, {len(given)} are there")
    for i, (want, got) in enumerate(zip(wanted, given)):
        # As bytes, for no NaN equals itself, and unknown fields count.
        if want.SerializeToString(deterministic=True) != got.SerializeToString(deterministic=True):
            want, got = explicit(want), explicit(got)
            for name in want:
                if want[name] != got[name]:
                    raise SystemExit(f"message {i}, {name}: {want[name]!r} is wanted, {got[name]!r} is there")
            raise SystemExit(f"message {i} has other unknown fields")
    print(f"{len(wanted)} messages are the same")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["make", folder]:
            make(Path(folder))
        case ["check", folder, ours]:
            check(Path(folder), Path(ours))
        case _:
            raise SystemExit(__doc__)
