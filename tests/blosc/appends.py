"""Random sequences of appends, by the packages and by the command in turn: both must read what was appended."""

import os
from collections import Counter

import bcolz
import blosc2
import bloscpack
import numpy
from bloscpack.append import append as append_to_file

from theirs import bytes_of, command, cparams, values

# Of these elements each package makes arrays.
DTYPES = ["i1", "<i2", "<i4", "<i8", "u1", "<u4", "<f4", "<f8", ">i4", "S3"]


def b2_params(random):
    """Parameters without delta, of whose chunks blosc2 reads parts wrongly."""
    filters = [[blosc2.Filter.SHUFFLE], [blosc2.Filter.BITSHUFFLE], [blosc2.Filter.NOFILTER]]
    codec = list(blosc2.Codec)[:5][random.integers(5)]
    return {"codec": codec, "clevel": int(random.integers(10)), "filters": filters[random.integers(3)], "nthreads": 1}


class Carray:
    def __init__(self, path, first, random):
        self.path = path
        shape = {} if random.integers(2) else {"chunklen": int(random.integers(1, 500))}
        bcolz.carray(first, cparams=cparams(int(random.integers(30))), rootdir=path, mode="w", **shape).flush()

    def append(self, rows):
        array = bcolz.open(self.path, mode="a")
        array.append(rows)
        array.flush()

    def read(self):
        return bcolz.open(self.path, mode="r")[:]


class Bloscpack:
    """A file of bytes: the package does not change the shape of an array that it appends to, and then fails on it."""

    def __init__(self, path, first, random):
        self.path, self.dtype = path, first.dtype
        name = ["blosclz", "lz4", "lz4hc", "zlib", "zstd"][random.integers(5)]
        args = bloscpack.BloscArgs(first.dtype.itemsize, int(random.integers(10)), bool(random.integers(2)), name)
        checksum = ["None", "adler32", "crc32", "sha512"][random.integers(4)]
        header = bloscpack.BloscpackArgs(True, checksum, lambda n: n + 20000)
        size = first.dtype.itemsize * int(random.integers(1, 500))
        bloscpack.pack_bytes_to_file(first.tobytes(), path, chunk_size=size, blosc_args=args, bloscpack_args=header)

    def append(self, rows):
        new = self.path + ".new"
        with open(new, "wb") as file:
            file.write(rows.tobytes())
        append_to_file(self.path, new, blosc_args=bloscpack.BloscArgs(rows.dtype.itemsize))

    def read(self):
        return numpy.frombuffer(bloscpack.unpack_bytes_from_file(self.path)[0], self.dtype)


class B2nd:
    def __init__(self, path, first, random):
        self.path = path
        shape = {}
        if random.integers(3):
            shape["chunks"] = (int(random.integers(1, 500)),) + first.shape[1:]
            if random.integers(2):
                shape["blocks"] = (int(random.integers(1, shape["chunks"][0] + 1)),) + first.shape[1:]
        contiguous = bool(random.integers(2))
        blosc2.asarray(first, urlpath=path, mode="w", contiguous=contiguous, cparams=b2_params(random), **shape)

    def append(self, rows):
        array = blosc2.open(self.path, mode="a")
        before = array.shape[0]
        array.resize((before + len(rows),) + array.shape[1:])
        array[before:] = rows

    def read(self):
        return blosc2.open(self.path, mode="r")[:]


class Superchunk:
    def __init__(self, path, first, random):
        self.path, self.dtype = path, first.dtype
        size = first.dtype.itemsize
        params = {**b2_params(random), "typesize": size}
        chunk = size * int(random.integers(1, 500))
        contiguous = bool(random.integers(2))
        made = blosc2.SChunk(chunk, first.tobytes() or None, cparams=params, urlpath=path, mode="w", contiguous=contiguous)
        self.chunk = made.chunksize

    def append(self, rows):
        made = blosc2.open(self.path, mode="a")
        made.append_data(rows.tobytes())

    def read(self):
        made = blosc2.open(self.path, mode="r")
        parts = [made.decompress_chunk(number) for number in range(made.nchunks)]
        return numpy.frombuffer(b"".join(parts), self.dtype)


KINDS = {"carray": Carray, "bloscpack": Bloscpack, "b2nd": B2nd, "superchunk": Superchunk}


def sequence(kind, path, trevni, seed):
    random = numpy.random.default_rng(seed)
    dtype = DTYPES[random.integers(len(DTYPES))]
    # Of superchunks and bloscpack, bytes are appended; rows of several elements are those of arrays.
    inner = [(), (2,), (3, 2)][random.integers(3) if kind == "b2nd" else 0]
    rows = [0, 1, int(random.integers(2000))][random.integers(3)]
    if kind in ("bloscpack", "superchunk"):
        rows = max(rows, 1)
    wanted = values(dtype, (rows,) + inner, seed)
    made = KINDS[kind](path, wanted, random)
    steps = [f"{dtype} {inner} {rows}"]
    for step in range(random.integers(1, 6)):
        more = [1, int(random.integers(1, 60)), int(random.integers(1, 3000))][random.integers(3)]
        new = values(dtype, (more,) + inner, seed + step + 1)
        if random.integers(3) == 0:
            new = numpy.frombuffer(random.bytes(new.nbytes), "u1").view(new.dtype).reshape(new.shape)
        by_us = bool(random.integers(2))
        if not by_us:
            # blosc2 does not append to all that it makes: not behind a chunk that is not full, and not to nothing.
            try:
                made.append(new)
            except (RuntimeError, ValueError):
                by_us = True
        steps.append(f"{'ours' if by_us else 'theirs'} {more}")
        if by_us:
            with open(path + ".new", "wb") as file:
                file.write(new.tobytes())
            command(trevni, "blosc", "append", "-e", path, path + ".new")
        wanted = numpy.concatenate([wanted, new], dtype=wanted.dtype)
        theirs, ours = made.read(), bytes_of(trevni, path)
        if theirs.tobytes() != wanted.tobytes():
            raise Exception(f"{'; '.join(steps)}: the package reads other rows")
        if ours != wanted.tobytes():
            raise Exception(f"{'; '.join(steps)}: the command reads other rows")
        command(trevni, "verify", path)


def run(folder, trevni, count):
    faults, counts = [], Counter()
    for kind in KINDS:
        for seed in range(int(count)):
            path = os.path.join(folder, f"{kind}-{seed}")
            try:
                sequence(kind, path, trevni, seed)
            except Exception as fault:
                faults.append(f"{kind} {seed}: {type(fault).__name__} {fault}")
            counts[kind] += 1
    print("sequences of appends:", ", ".join(f"{n} {kind}" for kind, n in counts.items()))
    return faults
