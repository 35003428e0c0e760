"""Whether two files have the same rows of JSON: numbers by value, text with or without escapes.

    same.py OURS THEIRS

A float is written in the fewest digits by one side, in some more by the other: with nine digits at the most, both are
rounded to 32 bits before they are compared.
"""

import json
import struct
import sys


class Real(str):
    """A number with a fraction or an exponent, as it is written."""

    def digits(self):
        mantissa = self.lower().split("e")[0]
        return len("".join(c for c in mantissa if c.isdigit()).strip("0"))

    def single(self):
        return struct.pack("<f", float(self))


def same(ours, theirs):
    if isinstance(ours, Real) and isinstance(theirs, Real):
        if float(ours) == float(theirs):
            return True
        return max(ours.digits(), theirs.digits()) <= 9 and ours.single() == theirs.single()
    if type(ours) is not type(theirs):
        return False
    if isinstance(ours, dict):
        return list(ours) == list(theirs) and all(same(ours[key], theirs[key]) for key in ours)
    if isinstance(ours, list):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    return ours == theirs


def rows(name):
    with open(name, encoding="utf-8") as lines:
        return [json.loads(line, parse_float=Real) for line in lines if line.strip()]


ours, theirs = rows(sys.argv[1]), rows(sys.argv[2])
if len(ours) != len(theirs):
    sys.exit(f"{len(ours)} rows, where the reference sees {len(theirs)}")
for number, pair in enumerate(zip(ours, theirs)):
    if not same(*pair):
        sys.exit(f"row {number}\nours   {json.dumps(pair[0])}\ntheirs {json.dumps(pair[1])}")
if not ours:
    sys.exit("no rows")
