"""Containers that the example wrote, changed by the packages they are for: the command must read what is there then."""

import os
import shutil
from collections import Counter

import bcolz
import blosc2
import numpy

from ours import Expected
from theirs import bytes_of, check, command

# Of so many of each kind one is changed.
EVERY = 6


def change_carray(path, expected):
    array = bcolz.open(path, mode="a")
    rows = expected.array[: len(expected.array) // 2 + 1]
    array.append(rows)
    array[: len(rows) // 2] = rows[len(rows) // 2 : len(rows) // 2 * 2]
    array.trim(1)
    array.flush()
    return array[:]


def change_ctable(path, expected):
    table = bcolz.open(path, mode="a")
    table.append([array[: len(array) // 2 + 1] for array in expected.arrays.values()])
    table.trim(1)
    table.flush()
    return {name: table[name][:] for name in table.names}


def change_frame(path, expected):
    chunks = blosc2.open(path, mode="a")
    parts = [chunks.decompress_chunk(number) for number in range(chunks.nchunks)]
    new = numpy.random.default_rng(1).bytes(len(parts[0]))
    chunks.update_data(0, new, copy=True)
    parts[0] = new
    # C-Blosc2 then takes chunks for ones of different sizes, and cannot read those of one value among them.
    if all(len(set(part)) > 1 for part in parts):
        chunks.insert_data(0, new[::-1], copy=True)
        parts.insert(0, new[::-1])
    chunks.vlmeta["by"] = "peer"
    return numpy.frombuffer(b"".join(parts), "u1")


def change_b2nd(path, expected):
    array = blosc2.open(path, mode="a")
    rows = len(expected.array)
    array.resize((rows + 77,) + array.shape[1:])
    out = numpy.zeros(array.shape, array.dtype)
    out[:rows] = expected.array
    array[rows : rows + 5] = out[:5]
    out[rows : rows + 5] = out[:5]
    return out


CHANGES = {"carray": change_carray, "ctable": change_ctable, "frame": change_frame, "b2nd": change_b2nd}


def run(folder, trevni):
    faults, seen, counts = [], Counter(), Counter()
    for name in sorted(name[:-5] for name in os.listdir(folder) if name.endswith(".json")):
        expected = Expected(folder, name)
        kind = expected.about["kind"]
        seen[name.split("-")[0]] += 1
        # Parts of chunks with some filters are not changed rightly there; what was truncated comes back when b2nd grows.
        cut = kind == "b2nd" and name.endswith(("-truncate", "-all"))
        odd = cut or expected.about["dictionary"] or any("Delta" in f or "Trunc" in f for f in expected.about["filters"])
        if kind not in CHANGES or seen[name.split("-")[0]] % EVERY or odd or not len(expected.array):
            continue
        path = expected.path + "-by-peer"
        try:
            (shutil.copytree if os.path.isdir(expected.path) else shutil.copy)(expected.path, path)
            wanted = CHANGES[kind](path, expected)
            command(trevni, "verify", path)
            if kind == "ctable":
                check(trevni, path, wanted)
            elif bytes_of(trevni, path) != wanted.tobytes():
                raise Exception("bytes differ")
        except Exception as fault:
            faults.append(f"{name}: {type(fault).__name__} {fault}")
        counts[kind] += 1
    print("ours, changed by theirs, read by ours:", ", ".join(f"{n} {kind}" for kind, n in counts.items()))
    return faults
