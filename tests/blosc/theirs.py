"""Containers that the packages make, read by the command: its bytes and its rows must be those that went in."""

import json
import os
import subprocess
from collections import Counter

import bcolz
import blosc2
import bloscpack
import numpy

ROWS = 2500
RECORD = [("a", "<i4"), ("b", "<f8", (2,)), ("c", "S3")]
DTYPES = ["?", "i1", "<i2", "<i4", "<i8", "u1", "<u2", "<u4", "<u8", "<f2", "<f4", "<f8", "S10", "<U5", "<M8[ns]", ">i4", ">f8"]
# Those of which bcolz makes no arrays, since what fills them must be JSON.
NO_BCOLZ = ["<c16", "<M8[D]", "<m8[us]", RECORD]


def values(dtype, shape, seed):
    """Elements of a type that are neither all alike nor noise."""
    dtype, random = numpy.dtype(dtype), numpy.random.default_rng(seed)
    if dtype.names:
        out = numpy.empty(shape, dtype)
        for name in dtype.names:
            field = dtype[name]
            out[name] = values(field.base, tuple(shape) + field.shape, seed + 1)
        return out
    walk = numpy.cumsum(random.integers(-3, 6, shape), axis=0).reshape(shape)
    if dtype.kind in "SU":
        return walk.astype(dtype.newbyteorder("="))
    if dtype.kind == "b":
        return walk % 3 == 0
    if dtype.kind in "mM":
        out = (walk * 10**9).astype("i8").view(dtype)
        out[3::11] = "NaT"
        return out
    return (walk / 4 if dtype.kind in "fc" else walk).astype(dtype)


def command(trevni, *arguments):
    done = subprocess.run([trevni, *arguments], capture_output=True)
    if done.returncode:
        raise Exception(f"trevni {' '.join(arguments)}: {done.stderr.decode():.300}")
    return done.stdout


def bytes_of(trevni, path):
    """The bytes of the array of a container."""
    command(trevni, "blosc", "decompress", "-f", "-e", path, path + ".out")
    with open(path + ".out", "rb") as file:
        return file.read()


def columns_of(trevni, path):
    """The columns of a container, as JSON has them."""
    rows = command(trevni, "convert", path, "-", "--to", "jsonl").decode().splitlines()
    rows = [json.loads(row) for row in rows]
    return {name: [row.get(name) for row in rows] for name in (rows[0] if rows else [])}


def element(dtype, value):
    """An element from the JSON of our rows."""
    if dtype.names:
        return tuple(array_of(dtype[name], value[name]) for name in dtype.names)
    if dtype.kind in "mM" and value is None:
        return numpy.array("NaT", dtype)
    if dtype.kind == "f" and value is None:
        return numpy.nan
    if dtype.kind == "S":
        return bytes.fromhex(value)
    if dtype.kind == "c":
        return complex(*value)
    return numpy.array(value).astype(dtype)


def array_of(dtype, value):
    if dtype.shape:
        return [array_of(numpy.dtype((dtype.base, dtype.shape[1:])), item) for item in value]
    return element(dtype, value)


def check_rows(found, wanted):
    for name, array in wanted.items():
        back = [array_of(numpy.dtype((array.dtype, array.shape[1:])), value) for value in found.get(name, [])]
        back = numpy.array(back, array.dtype).reshape((len(back),) + array.shape[1:])
        if back.shape != array.shape or back.tobytes() != array.tobytes():
            raise Exception(f"rows of {name} differ: {found.get(name, [])[:3]} for {array[:3]}")


def check(trevni, path, wanted):
    """A container must hold these columns."""
    command(trevni, "verify", path)
    if len(wanted) == 1:
        (array,) = wanted.values()
        if bytes_of(trevni, path) != array.tobytes():
            raise Exception("bytes differ")
        if array.dtype.names and array.ndim == 1:
            wanted = {name: array[name] for name in array.dtype.names}
    # What JSON makes of a length of time is a text.
    check_rows(columns_of(trevni, path), {name: array for name, array in wanted.items() if array.dtype.kind != "m"})


def make_bloscpack(path, array, turn):
    name = ["blosclz", "lz4", "lz4hc", "zlib", "zstd"][turn % 5]
    args = bloscpack.BloscArgs(array.dtype.itemsize, turn % 10, bool(turn % 2), name)
    checksum = ["None", "adler32", "crc32", "md5", "sha512"][turn // 2 % 5]
    header = bloscpack.BloscpackArgs(turn % 3 > 0, checksum, (lambda n: 0) if turn % 3 == 0 else (lambda n: 10 * n))
    bloscpack.pack_ndarray_to_file(array, path, chunk_size=array.dtype.itemsize * 450, blosc_args=args, bloscpack_args=header)
    return array


def cparams(turn):
    return bcolz.cparams(turn % 10, turn % 3, ["blosclz", "lz4", "lz4hc", "zlib", "zstd"][turn % 5])


def make_carray(path, array, turn):
    made = bcolz.carray(array[:1700], cparams=cparams(turn), chunklen=300, rootdir=path, mode="w")
    made.append(array[1700:])
    made.attrs["turn"] = turn
    if turn % 2:
        made[10:700:3] = array[700:10:-3]
        made.trim(333)
        made.resize(len(made) + 50)
    made.flush()
    return made[:]


def make_ctable(path, arrays, turn):
    table = bcolz.ctable(list(arrays.values()), names=list(arrays), cparams=cparams(turn), rootdir=path, mode="w")
    table.trim(100)
    table.append([array[:40] for array in arrays.values()])
    table.delcol("f4")
    table.flush()
    return {name: table[name][:] for name in table.names}


def b2_params(turn):
    codec = list(blosc2.Codec)[:5][turn % 5]
    filters = [[blosc2.Filter.SHUFFLE], [blosc2.Filter.BITSHUFFLE], [blosc2.Filter.NOFILTER], [blosc2.Filter.DELTA, blosc2.Filter.SHUFFLE]]
    return {"codec": codec, "clevel": turn % 10, "filters": filters[turn % 4], "nthreads": 1}


def make_b2nd(path, array, turn):
    chunks = [(700,), (500, 2), (300, 3, 1)][array.ndim - 1]
    made = blosc2.asarray(array, chunks=chunks, urlpath=path, mode="w", contiguous=turn % 2 == 0, cparams=b2_params(turn))
    made.schunk.vlmeta["turn"] = turn
    made.resize((len(array) + 900,) + array.shape[1:])
    made[len(array) : len(array) + 100] = array[:100]
    wanted = numpy.zeros(made.shape, array.dtype)
    wanted[: len(array)] = array
    wanted[len(array) : len(array) + 100] = array[:100]
    return wanted


def make_schunk(path, array, turn):
    size = array.dtype.itemsize
    storage = {"urlpath": path, "mode": "w", "contiguous": turn % 2 == 0}
    made = blosc2.SChunk(600 * size, cparams={**b2_params(turn), "typesize": size}, **storage)
    parts = [array[i : i + 600].tobytes() for i in range(0, len(array), 600)]
    for part in parts:
        made.append_data(part)
    made.update_data(1, parts[0], copy=True)
    made.insert_data(2, parts[3], copy=True)
    made.delete_chunk(0)
    parts[1] = parts[0]
    parts.insert(2, parts[3])
    del parts[0]
    if turn % 3 == 0:
        # Chunks of any size from here on.
        made.append_data(parts[0])
        parts.append(parts[0])
    made.vlmeta["turn"] = turn
    return numpy.frombuffer(b"".join(parts), f"V{size}")


def run(folder, trevni):
    faults, counts = [], Counter()

    def tried(kind, turn, dtype, make, shape=(ROWS,)):
        path = os.path.join(folder, f"{kind}-{turn}")
        if isinstance(dtype, dict):
            arrays = dtype
        else:
            array = values(dtype, shape, turn)
        try:
            wanted = make(path, arrays if isinstance(dtype, dict) else array, turn)
            if kind == "schunk":
                if bytes_of(trevni, path) != wanted.tobytes():
                    raise Exception("bytes differ")
                command(trevni, "verify", path)
            else:
                check(trevni, path, wanted if isinstance(wanted, dict) else {"values": wanted})
        except Exception as fault:
            faults.append(f"{kind} {turn} {dtype if not isinstance(dtype, dict) else ''}: {fault}")
        counts[kind] += 1

    for turn, dtype in enumerate(DTYPES + NO_BCOLZ):
        shape = [(ROWS,), (ROWS, 3), (ROWS // 5, 5, 2)][turn % 3]
        tried("bloscpack", turn, dtype, make_bloscpack, shape)
        tried("b2nd", turn, dtype, make_b2nd, shape)
        tried("schunk", turn, dtype, make_schunk)
        if dtype not in NO_BCOLZ:
            tried("carray", turn, dtype, make_carray, shape if turn % 3 < 2 else (ROWS,))
    for turn in range(5):
        arrays = {numpy.dtype(d).str.strip("<>|[ns]?") or "b": values(d, (ROWS,), i) for i, d in enumerate(DTYPES)}
        tried("ctable", turn, arrays, make_ctable)
    print("theirs, read by ours:", ", ".join(f"{n} {kind}" for kind, n in counts.items()))
    return faults
