"""bloscpack's command and ours, on the same bytes with the same options.

Where the compressor is of the same release on both sides the files are equal to the byte; of the others what is before
the chunks' places is, and each command reads what the other wrote.
"""

import contextlib
import io
import json
import os
import shutil
import sys
from itertools import product

import numpy

from bloscpack import cli, log
from theirs import command

# Compressors of one release on both sides.
SAME_BYTES = ["lz4", "lz4hc"]
METADATA = {"station": "Zürich", "heights": [408, 556], "scale": 1e-05, "nested": {"null": None}}


def blpk(*arguments):
    """Runs bloscpack's command, here."""
    sys.argv = ["blpk", "-f", "-n", "1", *arguments]
    log.LEVEL = log.NORMAL
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            cli.main()
        except SystemExit as stop:
            if stop.code:
                raise Exception(f"blpk {' '.join(arguments)}: {said.getvalue():.300}") from stop


def read(path):
    with open(path, "rb") as file:
        return file.read()


def cases():
    shuffles = [[], ["-s"]]
    sizes = [0, 1, 100, 70_001, 262_144]
    for turn, (codec, shuffle, size) in enumerate(product(["blosclz", "lz4", "lz4hc", "zlib", "zstd"], shuffles, sizes)):
        options = ["-c", codec, "-t", str([8, 4, 1, 2, 16][turn % 5]), "-l", str([7, 1, 5, 9, 0, 3, 8][turn % 7]), *shuffle]
        more = ["-z", ["1M", "32K", "100000", "max"][turn % 4], "-k", ["adler32", "None", "crc32", "sha256"][turn // 2 % 4]]
        more += ["-o"] if turn % 8 == 3 else []
        yield turn, codec, size, options, more


def run(folder, trevni):
    faults, files, equal = [], 0, 0
    metadata = os.path.join(folder, "metadata.json")
    with open(metadata, "w") as file:
        json.dump(METADATA, file)
    random = numpy.random.default_rng(1)
    for turn, codec, size, options, more in cases():
        plain = os.path.join(folder, f"{turn}")
        data = numpy.cumsum(random.integers(-50, 50, size // 8 + 1)).tobytes()[:size]
        with open(plain, "wb") as file:
            file.write(data)
        if turn % 3 == 1:
            more += ["-m", metadata]
        try:
            equal += both(trevni, plain, data, codec, options, more)
        except Exception as fault:
            faults.append(f"{turn} {codec} {size} {options} {more}: {type(fault).__name__} {fault}")
        files += 1
    print(f"blpk and trevni blosc: {files} files, compressed, appended to and decompressed by both; {equal} equal to the byte")
    return faults


def both(trevni, plain, data, codec, options, more):
    """Compresses, appends and decompresses with both commands. Whether the files were equal."""
    ours, theirs, back = plain + ".ours.blp", plain + ".theirs.blp", plain + ".back"
    blpk("c", *options, *more, plain, theirs)
    command(trevni, "blosc", "c", "-n", "2", *options, *more, plain, ours)
    equal = compare(trevni, ours, theirs, back, data, codec in SAME_BYTES or "0" in options)
    head = 32 if "-m" not in more else 32 + 32 + int.from_bytes(read(theirs)[48:52], "little") + 4
    if read(ours)[:head] != read(theirs)[:head]:
        raise Exception(f"heads differ: {read(ours)[:head].hex()} {read(theirs)[:head].hex()}")
    # bloscpack appends to no file without offsets or bytes, nor more than ten times the chunks.
    if "-o" in more or len(data) < 100:
        return equal
    # One chunk alone does not say how large it should be: bloscpack takes its size for that, ours is 1 MiB.
    same = codec in SAME_BYTES and int.from_bytes(read(theirs)[16:24], "little") > 1
    with open(plain, "wb") as file:
        file.write(data[::-1] * 2)
    changed, by_ours = plain + ".by-theirs.blp", plain + ".by-ours.blp"
    shutil.copy(theirs, changed)
    shutil.copy(theirs, by_ours)
    blpk("a", *options, changed, plain)
    command(trevni, "blosc", "a", *options, by_ours, plain)
    compare(trevni, by_ours, changed, back, data + read(plain), same)
    blpk("a", *options, ours, plain)
    compare(trevni, ours, changed, back, data + read(plain), codec in SAME_BYTES)
    return equal


def compare(trevni, ours, theirs, back, data, same):
    blpk("d", ours, back)
    if read(back) != data:
        raise Exception(f"blpk has other bytes of {ours}")
    command(trevni, "blosc", "d", "-f", theirs, back)
    if read(back) != data:
        raise Exception(f"ours are other bytes of {theirs}")
    a, b = read(ours), read(theirs)
    if same and a != b:
        at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
        raise Exception(f"files of {len(a)} and {len(b)} bytes differ at {at}: {a[at:at + 16].hex()} {b[at:at + 16].hex()}")
    return a == b
