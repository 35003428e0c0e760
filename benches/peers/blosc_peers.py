"""The Python peers of the race of containers: asked over a pipe for one lap after the other, timing themselves.

    python blosc_peers.py DIR VALUES [cpu]   DIR holds VALUES.raw, VALUES.elements, VALUES.chunks; cpu: processor time

A question is a line `what home threads from to`; the answer is a line with milliseconds (of `check` the size in bytes),
`-` if there is no such thing, or `!` and what went wrong. `src/bin/blosc/python.rs` asks.
"""

import os
import shutil
import sys
import time

import bcolz
import blosc
import blosc2
import bloscpack
import numpy as np

CHUNK = 1 << 20
ROWS = CHUNK // 8


class Bloscpack:
    """A Bloscpack file; it can only be read as a whole, to new memory."""

    def __init__(self, path, checksum):
        self.path, self.checksum = path, checksum

    def threads(self, n):
        blosc.set_nthreads(n)

    def write(self, values):
        bloscpack.pack_ndarray_to_file(
            values,
            self.path,
            chunk_size=CHUNK,
            blosc_args=bloscpack.BloscArgs(typesize=8, clevel=5, shuffle=True, cname="lz4"),
            bloscpack_args=bloscpack.BloscpackArgs(checksum=self.checksum),
        )

    def load(self):
        return bloscpack.unpack_ndarray_from_file(self.path)


class Bcolz:
    """A directory of bcolz; it reads to new memory."""

    def __init__(self, path):
        self.path = path

    def threads(self, n):
        bcolz.blosc_set_nthreads(n)

    def write(self, values):
        params = bcolz.cparams(clevel=5, shuffle=bcolz.SHUFFLE, cname="lz4")
        bcolz.carray(values, cparams=params, chunklen=ROWS, rootdir=self.path, mode="w").flush()

    def load(self):
        return bcolz.open(self.path, mode="r")[:]

    def elements(self, elements):
        array = bcolz.open(self.path, mode="r")
        return [array[i] for i in elements]

    def chunks(self, chunks, out):
        array = bcolz.open(self.path, mode="r")
        for n in chunks:
            out[n * ROWS : (n + 1) * ROWS] = array[n * ROWS : (n + 1) * ROWS]


class Frame:
    """A frame of Blosc2, in one file, in a folder, or (without a path) in memory."""

    def __init__(self, path, contiguous):
        self.path, self.contiguous, self.memory, self.n = path, contiguous, None, 1

    def threads(self, n):
        self.n = n

    def params(self):
        filters, meta = [blosc2.Filter.SHUFFLE], [0]
        compress = blosc2.CParams(
            codec=blosc2.Codec.LZ4, clevel=5, typesize=8, nthreads=self.n, filters=filters, filters_meta=meta
        )
        return {"cparams": compress, "dparams": blosc2.DParams(nthreads=self.n)}

    def write(self, values):
        where = {"urlpath": self.path, "contiguous": self.contiguous} if self.path else {}
        frame = blosc2.SChunk(chunksize=CHUNK, data=values, **where, **self.params())
        self.memory = None if self.path else frame

    def open(self):
        return self.memory or blosc2.open(self.path, mode="r", **self.params())

    def read(self, out):
        frame = self.open()
        frame.get_slice(0, len(out), out=out)

    def load(self):
        frame = self.open()
        out = np.empty(frame.nbytes // 8, np.int64)
        frame.get_slice(0, len(out), out=out)
        return out

    def elements(self, elements):
        frame, one, values = self.open(), np.empty(1, np.int64), []
        for i in elements:
            frame.get_slice(i, i + 1, out=one)
            values.append(one[0])
        return values

    def chunks(self, chunks, out):
        frame = self.open()
        for n in chunks:
            frame.decompress_chunk(n, dst=out[n * ROWS : (n + 1) * ROWS])


def homes(folder):
    path = lambda name: os.path.join(folder, name + "-python")
    return {
        "chunk2": Frame(None, False),
        "bloscpack": Bloscpack(path("bloscpack.blp"), "None"),
        "bloscpack-adler32": Bloscpack(path("adler32.blp"), "adler32"),
        "bcolz": Bcolz(path("bcolz")),
        "contiguous": Frame(path("contiguous.b2frame"), True),
        "sparse": Frame(path("sparse.b2frame"), False),
    }


def size(home):
    if not home.path:
        return home.memory.cbytes
    if os.path.isfile(home.path):
        return os.path.getsize(home.path)
    files = (os.path.join(root, name) for root, _, names in os.walk(home.path) for name in names)
    return sum(map(os.path.getsize, files))


def check(home, values, elements, chunks, out):
    """Everything that is timed must give what was written."""
    bits = values.view(np.int64)
    right = np.array_equal(home.load().view(np.int64), bits)
    if hasattr(home, "read"):
        home.read(out)
        right &= np.array_equal(out.view(np.int64), bits)
    if hasattr(home, "elements"):
        read = np.array(home.elements(elements))
        right &= np.array_equal(read.view(np.int64), bits[elements])
        out[:] = 0
        home.chunks(chunks, out)
        right &= np.array_equal(out.view(np.int64), bits)
    if not right:
        raise ValueError("other values than were written")
    return size(home)


def main():
    folder, name = sys.argv[1:3]
    clock = time.process_time if sys.argv[3:] == ["cpu"] else time.perf_counter
    file = lambda what, dtype: np.fromfile(os.path.join(folder, f"{name}.{what}"), dtype)
    values = file("raw", "<i8" if name == "i64" else "<f8")
    elements, chunks = file("elements", "<u8").tolist(), file("chunks", "<u8").tolist()
    out, places = np.ones_like(values), homes(folder)
    for line in sys.stdin:
        what, home, threads, start, end = line.split()
        home, part = places[home], elements[int(start) : int(end)]
        home.threads(int(threads))
        work = {
            "write": lambda: home.write(values),
            "read": lambda: home.read(out),
            "load": lambda: home.load(),
            "element": lambda: home.elements(part),
            "chunk": lambda: home.chunks(chunks, out),
        }
        method = {"element": "elements", "chunk": "chunks"}.get(what, what)
        try:
            if what == "clear":
                if home.path and os.path.exists(home.path):
                    (shutil.rmtree if os.path.isdir(home.path) else os.remove)(home.path)
                answer = "-"
            elif what == "check":
                answer = str(check(home, values, part, chunks, out))
            elif not hasattr(home, method):
                answer = "-"
            else:
                begin = clock()
                given = work[what]()
                answer = f"{(clock() - begin) * 1e3:.4f}"
                del given
        except Exception as e:
            answer = f"! {type(e).__name__}: {e}".replace("\n", " ")
        print(answer, flush=True)


if __name__ == "__main__":
    main()
