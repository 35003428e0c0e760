"""Containers that the example wrote, read by the packages they are for.

NAME        the container
NAME.json   what it is
NAME.bin    the bytes of its array; of a table those of one column behind those of another
"""

import ast
import json
import os
import struct
from collections import Counter

import bcolz
import blosc
import blosc2
import bloscpack
import numpy
from bloscpack.exceptions import FormatVersionMismatch
from bloscpack.file_io import _read_beginning


class Fault(Exception):
    pass


def same(what, found, wanted):
    if found != wanted:
        raise Fault(f"{what}: {found!r:.200} is not {wanted!r:.200}")


def dtype_of(text):
    """The dtype that NumPy's text is of; that of records is a Python literal."""
    return numpy.dtype(ast.literal_eval(text) if text.startswith("[") else text)


class Expected:
    """What a container should hold."""

    def __init__(self, folder, name):
        self.path = os.path.join(folder, name)
        with open(self.path + ".json") as file:
            self.about = json.load(file)
        with open(self.path + ".bin", "rb") as file:
            left = file.read()
        self.arrays = {}
        for column in self.about["columns"]:
            dtype, shape = dtype_of(column["dtype"]), tuple(column["shape"])
            size = dtype.itemsize * int(numpy.prod(shape, dtype=object))
            self.arrays[column["name"]] = numpy.frombuffer(left[:size], dtype).reshape(shape)
            left = left[size:]
        same("bytes left over", left, b"")
        self.array = next(iter(self.arrays.values()))
        self.chunk_rows = self.about["columns"][0]["chunk_rows"]
        self.shuffle = {"Shuffle": 1, "BitShuffle": 2}.get(self.about["filters"][5].split(" ")[0], 0)

    def check(self, found, wanted=None):
        wanted = self.array if wanted is None else wanted
        found = numpy.asarray(found)
        same("dtype", found.dtype, wanted.dtype)
        same("byte order", found.dtype.str, wanted.dtype.str)
        same("shape", found.shape, wanted.shape)
        if found.tobytes() != wanted.tobytes():
            a = numpy.frombuffer(found.tobytes(), "u1")
            b = numpy.frombuffer(wanted.tobytes(), "u1")
            raise Fault(f"{numpy.count_nonzero(a != b)} of {len(a)} bytes differ, first at {numpy.argmax(a != b)}")

    def check_bytes(self, found, wanted):
        self.check(numpy.frombuffer(found, "u1"), numpy.frombuffer(wanted.tobytes(), "u1"))


def read_bloscpack(expected):
    with open(expected.path, "rb") as file:
        header, metadata, _, offsets = _read_beginning(file)
        at = file.tell()
        file.seek(0, 2)
        end = file.tell()
        for number in range(header["nchunks"]):
            if offsets:
                same(f"offset {number}", offsets[number], at)
            file.seek(at)
            at += struct.unpack("<I", file.read(16)[12:])[0] + header.checksum_impl.size
    same("end of the chunks", at, end)
    own = {"dtype", "shape", "order", "container"}
    same("attributes", {k: v for k, v in metadata.items() if k not in own}, expected.about["attributes"])
    expected.check(bloscpack.unpack_ndarray_from_file(expected.path))


def read_carray(expected):
    array = bcolz.open(expected.path, mode="r")
    check_carray(array, expected, expected.array)
    same("attributes", array.attrs.getall(), expected.about["attributes"])


def check_carray(array, expected, wanted):
    expected.check(array[:], wanted)
    same("chunklen", array.chunklen, expected.chunk_rows)
    params = array.cparams
    found = (params.cname, params.clevel, int(params.shuffle))
    same("compression", found, (expected.about["codec"], expected.about["level"], expected.shuffle))
    same("bytes", array.nbytes, wanted.nbytes)
    for at in {0, len(wanted) // 2, len(wanted) - 1} if len(wanted) else ():
        expected.check(numpy.asarray(array[at], wanted.dtype), wanted[at, ...])
    middle = len(wanted) // 2
    expected.check(array[middle // 2 : middle + 1], wanted[middle // 2 : middle + 1])


def read_ctable(expected):
    table = bcolz.open(expected.path, mode="r")
    same("columns", table.names, list(expected.arrays))
    same("attributes", table.attrs.getall(), expected.about["attributes"])
    for name, wanted in expected.arrays.items():
        same("length", len(table), len(wanted))
        try:
            check_carray(table[name], expected, wanted)
        except Exception as fault:
            raise Fault(f"column {name}: {fault}") from fault


def read_superchunks(folder):
    """The bytes of all superchunks of a folder. bloscpack must refuse those that it would misread."""
    files = {int(name.strip("_").split("_")[0]): name for name in os.listdir(folder)}
    same("files", sorted(files), list(range(1, len(files) + 1)))
    parts = []
    for number in sorted(files):
        path = os.path.join(folder, files[number])
        with open(path, "rb") as file:
            whole = file.read()
        if whole[4] == 3:
            parts.append(bloscpack.unpack_bytes_from_file(path)[0])
            continue
        try:
            bloscpack.unpack_bytes_from_file(path)
            raise Fault(f"bloscpack takes {path}, which has slack")
        except FormatVersionMismatch:
            pass
        count = struct.unpack("<q", whole[16:24])[0]
        for at in struct.unpack(f"<{count}q", whole[32 : 32 + 8 * count]):
            size = struct.unpack("<I", whole[at + 12 : at + 16])[0]
            parts.append(blosc.decompress(whole[at : at + size]))
    return b"".join(parts)


def read_meta(expected, name):
    path = os.path.join(expected.path, "meta", name)
    if not os.path.exists(path):
        return {}
    with open(path) as file:
        return json.load(file)


def check_meta(expected, columns):
    storage, sizes = read_meta(expected, "storage"), read_meta(expected, "sizes")
    same("rows", sizes["shape"][0], len(expected.array))
    same("bytes", sizes["nbytes"], sum(a.nbytes for a in expected.arrays.values()))
    same("attributes", read_meta(expected, "attributes"), expected.about["attributes"])
    for name, text in columns(storage["dtype"]).items():
        dtype = dtype_of(text)
        if storage["endianness"] == "big" and text[0] not in "<>|[":
            dtype = dtype.newbyteorder(">")
        same(f"dtype of {name}", dtype, expected.arrays[name].dtype)


def read_superchunk(expected):
    name = next(iter(expected.arrays))
    check_meta(expected, lambda text: {name: text})
    expected.check_bytes(read_superchunks(os.path.join(expected.path, "data")), expected.array)


def read_supertable(expected):
    check_meta(expected, dict)
    for name, wanted in expected.arrays.items():
        expected.check_bytes(read_superchunks(os.path.join(expected.path, "data", name)), wanted)


def check_schunk(chunks, expected):
    about, params = expected.about, chunks.cparams
    same("codec", params.codec.name, about["codec"].upper())
    same("level", params.clevel, about["level"])
    same("vlmeta", chunks.vlmeta.getall(), about["attributes"])
    same("metalayer", chunks.meta["ours"], {"mine": 7})
    names = {"None": "NOFILTER", "Shuffle": "SHUFFLE", "BitShuffle": "BITSHUFFLE", "Delta": "DELTA", "TruncPrec": "TRUNC_PREC"}
    same("filters", [f.name for f in params.filters], [names[f.split(" ")[0]] for f in about["filters"]])


def is_misread(about):
    """C-Blosc2 3.3 reads parts of chunks wrongly that have a delta filter, and none of those with a dictionary."""
    return about["dictionary"] or any("Delta" in name for name in about["filters"])


def read_frame(expected):
    chunks = blosc2.open(expected.path, mode="r")
    check_schunk(chunks, expected)
    same("typesize", chunks.typesize, expected.array.dtype.itemsize)
    whole = b"".join(chunks.decompress_chunk(number) for number in range(chunks.nchunks))
    expected.check_bytes(whole, expected.array)
    rows = len(expected.array)
    if rows and chunks.chunksize > 0 and not is_misread(expected.about):
        for start, stop in [(0, rows), (rows // 3, rows // 2 + 1), (rows - 1, rows)]:
            expected.check_bytes(chunks[start:stop], expected.array[start:stop])


def read_b2nd(expected):
    array = blosc2.open(expected.path, mode="r")
    check_schunk(array.schunk, expected)
    expected.check(unboxed(array) if is_misread(expected.about) else array[...])
    if len(expected.array) and not is_misread(expected.about):
        middle = len(expected.array) // 2
        expected.check(array[middle // 2 : middle + 1], expected.array[middle // 2 : middle + 1])


def unboxed(array):
    """An array from whole chunks."""
    out = numpy.empty(array.shape, array.dtype)
    count = [-(-n // c) for n, c in zip(array.shape, array.chunks)]
    for number, place in enumerate(numpy.ndindex(*count)):
        padded = [-(-c // b) * b for c, b in zip(array.chunks, array.blocks)]
        grid = [p // b for p, b in zip(padded, array.blocks)]
        blocks = numpy.frombuffer(array.schunk.decompress_chunk(number), array.dtype).reshape(grid + list(array.blocks))
        axes = [axis for pair in zip(range(array.ndim), range(array.ndim, 2 * array.ndim)) for axis in pair]
        box = blocks.transpose(axes).reshape(padded)
        start = [p * c for p, c in zip(place, array.chunks)]
        room = [min(c, n - s) for c, n, s in zip(array.chunks, array.shape, start)]
        to = tuple(slice(s, s + r) for s, r in zip(start, room))
        out[to] = box[tuple(slice(0, r) for r in room)]
    return out


READERS = {
    "bloscpack": read_bloscpack,
    "carray": read_carray,
    "ctable": read_ctable,
    "superchunk": read_superchunk,
    "supertable": read_supertable,
    "frame": read_frame,
    "b2nd": read_b2nd,
}


def run(folder):
    faults, counts = [], Counter()
    for name in sorted(name[:-5] for name in os.listdir(folder) if name.endswith(".json")):
        try:
            expected = Expected(folder, name)
            READERS[expected.about["kind"]](expected)
        except Exception as fault:
            faults.append(f"{name}: {type(fault).__name__} {fault}")
        counts[name.split("-")[0]] += 1
    print("ours, read by theirs:", ", ".join(f"{n} {name}" for name, n in counts.items()))
    return faults
