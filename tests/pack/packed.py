"""The packed values of a block, as spec/pack.md has them: numbers, bits, floats, strings. Plain and slow.

Each function takes the next n values from a cursor. `met` says which kinds of each sort there were.
"""

import struct

CHUNK = 1024
MOST = 1 << 20
DEPTH = 4
MASK = (1 << 64) - 1

met = {}


def meet(sort, kind):
    """Notes that a kind was there."""
    met.setdefault(sort, set()).add(kind)
    return kind


class Malformed(Exception):
    """The bytes are not those of a file."""


def check(good, what):
    if not good:
        raise Malformed(what)


def signed(number, bits=64):
    """The low bits of a number, as a signed one."""
    number &= (1 << bits) - 1
    return number - (1 << bits) if number >> (bits - 1) else number


class Cursor:
    """Bytes that are taken one after the other."""

    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def take(self, n):
        check(0 <= n <= len(self.data) - self.at, "the bytes end early")
        self.at += n
        return self.data[self.at - n : self.at]

    def byte(self):
        return self.take(1)[0]

    def fixed(self, size):
        return int.from_bytes(self.take(size), "little")

    def long(self):
        number = 0
        for i in range(10):
            byte = self.byte()
            number |= (byte & 127) << (7 * i)
            if byte < 128:
                check(number <= MASK, "a long of more than 64 bits")
                return number >> 1 ^ -(number & 1)
        raise Malformed("a long of more than ten bytes")

    def count(self, most):
        number = self.long()
        check(0 <= number <= most, f"a count of {number}, at most {most}")
        return number

    def bytes(self):
        return self.take(self.count(len(self.data)))

    def metadata(self):
        pairs = [(self.bytes().decode(), self.bytes()) for _ in range(self.count(len(self.data)))]
        return dict(pairs)


# Numbers


def lanes(data, w):
    """The offsets of a whole chunk."""
    b = 16 if w <= 16 else 32 if w <= 32 else 64
    many = 1024 // b
    words = [int.from_bytes(data[i : i + b // 8], "little") for i in range(0, len(data), b // 8)]
    columns = []
    for lane in range(many):
        bits = sum(word << (b * row) for row, word in enumerate(words[lane::many]))
        columns.append([bits >> (w * i) & ((1 << w) - 1) for i in range(b)])
    return [columns[i % many][i // many] for i in range(CHUNK)]


def packed_offsets(cursor, n, widths):
    """The offsets of each chunk."""
    for chunk, w in enumerate(widths):
        check(w <= 64, "a width above 64")
        m = min(CHUNK, n - chunk * CHUNK)
        meet("rest widths" if m < CHUNK else "widths", w)
        if w == 0:
            yield [0] * m
        elif m == CHUNK:
            yield lanes(cursor.take(128 * w), w)
        else:
            bits = int.from_bytes(cursor.take((m * w + 7) // 8), "little")
            yield [bits >> (w * i) & ((1 << w) - 1) for i in range(m)]


def exceptions_of_chunks(cursor, n, chunks, depth, of):
    """Place and what is above, of the exceptions of each chunk."""
    found = [[] for _ in range(chunks)]
    count = cursor.count(64 * chunks)
    if count == 0:
        return found
    counts = cursor.take(chunks)
    check(sum(counts) == count, "counts of exceptions")
    places = [cursor.fixed(2) for _ in range(count)]
    above = numbers(cursor, count, depth)
    meet("exceptions", of)
    at = 0
    for chunk, many in enumerate(counts):
        inside = places[at : at + many]
        ascending(inside, min(CHUNK, n - chunk * CHUNK))
        found[chunk] = list(zip(inside, above[at : at + many]))
        at += many
    return found


def ascending(places, n):
    check(all(a < b for a, b in zip(places, places[1:])), "places do not ascend")
    check(not places or (0 <= places[0] and places[-1] < n), "a place outside")


def frames(cursor, n, depth):
    chunks = -(-n // CHUNK)
    bases = numbers(cursor, chunks, depth)
    widths = cursor.take(chunks)
    exceptions = exceptions_of_chunks(cursor, n, chunks, depth, "numbers")
    out = []
    for c, offsets in enumerate(packed_offsets(cursor, n, widths)):
        made = [bases[c] + offset for offset in offsets]
        for place, above in exceptions[c]:
            made[place] += above << widths[c]
        out += made
    return out


def deltas(cursor, n, depth):
    chunks = -(-n // CHUNK)
    firsts = numbers(cursor, chunks, depth)
    bases = numbers(cursor, chunks, depth)
    out = []
    widths = cursor.take(chunks)
    exceptions = exceptions_of_chunks(cursor, n, chunks, depth, "deltas")
    for c, offsets in enumerate(packed_offsets(cursor, n, widths)):
        differences = [bases[c] + offset for offset in offsets]
        for place, above in exceptions[c]:
            differences[place] += above << widths[c]
        number = firsts[c] - bases[c]
        for difference in differences:
            number += difference
            out.append(number)
    return out


def sums(firsts, steps):
    """Each number is the one before and its step; the first of a chunk stands by itself."""
    out = []
    for i, step in enumerate(steps):
        out.append(out[-1] + step if i % CHUNK else firsts[i // CHUNK])
    return out


def lagged(distance, differences):
    """Each number is the one so far before and its difference; the first of a chunk stand by themselves."""
    check(distance > 0, "a lag of 0")
    out = []
    for i, difference in enumerate(differences):
        out.append(difference if i % CHUNK < distance else out[i - distance] + difference)
    return out


def runs(cursor, n, depth):
    count = cursor.count(min(MOST, n))
    values = numbers(cursor, count, depth)
    lengths = numbers(cursor, count, depth)
    check(all(length >= 0 for length in lengths), "a run of nothing")
    check(sum(lengths) + count == n, "runs of another number of numbers")
    return [value for value, length in zip(values, lengths) for _ in range(length + 1)]


def numbers(cursor, n, depth=DEPTH):
    """The next n numbers, as signed integers of 64 bits."""
    check(depth > 0, "too deep")
    meet("depth", DEPTH + 1 - depth)
    depth -= 1
    kind = meet("numbers", cursor.byte())
    if kind == 0:
        out = [cursor.long()] * n
    elif kind == 1:
        base, w = cursor.long(), cursor.byte()
        chunks = packed_offsets(cursor, n, [w] * -(-n // CHUNK))
        out = [base + offset for offsets in chunks for offset in offsets]
    elif kind == 2:
        out = frames(cursor, n, depth)
    elif kind == 3:
        out = deltas(cursor, n, depth)
    elif kind == 4:
        out = runs(cursor, n, depth)
    elif kind == 5:
        count = cursor.count(min(MOST, n))
        out = looked_up(numbers(cursor, count, depth), numbers(cursor, n, depth))
    elif kind == 6:
        value = cursor.long()
        others = bits(cursor, n, depth)
        rest = iter(numbers(cursor, sum(others), depth))
        out = [value + next(rest) if other else value for other in others]
    elif kind == 7:
        factor, shift = cursor.long(), cursor.long()
        out = [quotient * factor + shift for quotient in numbers(cursor, n, depth)]
    elif kind == 8:
        base = cursor.long()
        out = [base + byte for byte in cursor.take(n)]
    elif kind == 9:
        cut = cursor.byte()
        check(1 <= cut <= 63, f"a cut at bit {cut}")
        low, high = numbers(cursor, n, depth), numbers(cursor, n, depth)
        out = [below + (above << cut) for below, above in zip(low, high)]
    elif kind == 10:
        out = sums(numbers(cursor, -(-n // CHUNK), depth), numbers(cursor, n, depth))
    elif kind == 11:
        out = lagged(cursor.byte(), numbers(cursor, n, depth))
    else:
        raise Malformed(f"numbers of kind {kind}")
    return [signed(number) for number in out]


def looked_up(values, codes):
    check(all(0 <= code < len(values) for code in codes), "a code outside of the dictionary")
    return [values[code] for code in codes]


# Bits


def bits(cursor, n, depth=DEPTH):
    """The next n bits, as booleans."""
    kind = meet("bits", cursor.byte())
    if kind in (0, 1):
        return [kind == 1] * n
    if kind == 2:
        data = cursor.take((n + 7) // 8)
        return [data[i // 8] >> (i % 8) & 1 == 1 for i in range(n)]
    if kind in (3, 4):
        places = numbers(cursor, cursor.count(min(MOST, n)), depth)
        ascending(places, n)
        out = [kind == 4] * n
        for place in places:
            out[place] = kind == 3
        return out
    check(kind == 5, f"bits of kind {kind}")
    lengths = numbers(cursor, cursor.count(min(MOST, n + 1)), depth)
    check(all(length >= 0 for length in lengths) and sum(lengths) == n, "runs of other bits")
    return [i % 2 == 1 for i, length in enumerate(lengths) for _ in range(length)]


# Floats: their bits, as unsigned integers


def exceptions_of_floats(cursor, n, size, depth):
    count = cursor.count(min(MOST, n))
    if count == 0:
        return []
    places = numbers(cursor, count, depth)
    ascending(places, n)
    return [(place, cursor.fixed(size)) for place in places]


def decimals(cursor, n, size, depth):
    exponent, factor = cursor.byte(), cursor.fixed(2)
    check(exponent <= 18 and factor > 0, "a scale out of range")
    down = 1.0 / (float(10**exponent) * float(factor))
    digits = numbers(cursor, n, depth)
    limit = 1 << (51 if size == 8 else 31)
    check(all(-limit <= digit < limit for digit in digits), "digits out of range")
    form = "<d" if size == 8 else "<f"
    values = (struct.pack(form, (float(digit) * float(factor)) * down) for digit in digits)
    out = [int.from_bytes(value, "little") for value in values]
    for place, value in exceptions_of_floats(cursor, n, size, depth):
        meet("exceptions", f"decimals of {size}")
        out[place] = value
    return out


def split(cursor, n, size, depth):
    right = cursor.byte()
    check(1 <= 8 * size - right <= 16, "a split out of range")
    left = [cursor.fixed(2) for _ in range(cursor.count(8))]
    check(left and len(set(left)) == len(left), "left parts")
    check(all(part < 1 << (8 * size - right) for part in left), "a left part too large")
    codes = numbers(cursor, n, depth)
    codes = [0] * n if len(left) == 1 else codes
    # Numbers are signed, right parts are not.
    rights = [number & MASK for number in numbers(cursor, n, depth)]
    check(all(part < 1 << right for part in rights), "a right part too large")
    lefts = looked_up(left, codes)
    for place, part in exceptions_of_floats(cursor, n, 2, depth):
        check(part < 1 << (8 * size - right), "a left part too large")
        meet("exceptions", f"split of {size}")
        lefts[place] = part
    return [a << right | b for a, b in zip(lefts, rights)]


def floats(cursor, n, size, depth=DEPTH):
    """The bits of the next n floats of so many bytes."""
    check(depth > 0, "too deep")
    depth -= 1
    kind = meet(f"floats of {size}", cursor.byte())
    if kind == 0:
        return [cursor.fixed(size) for _ in range(n)]
    if kind == 1:
        entries = floats(cursor, cursor.count(min(MOST, n)), size, depth)
        return looked_up(entries, numbers(cursor, n, depth))
    if kind == 2:
        return decimals(cursor, n, size, depth)
    if kind == 3:
        return split(cursor, n, size, depth)
    check(kind == 4, f"floats of kind {kind}")
    value = cursor.fixed(size)
    others = bits(cursor, n, depth)
    rest = iter(floats(cursor, sum(others), size, depth))
    return [next(rest) if other else value for other in others]


# Strings


def symbols(cursor):
    lengths = cursor.take(cursor.byte())
    check(all(1 <= length <= 8 for length in lengths), "a symbol of another length")
    return [cursor.take(length) for length in lengths]


def expanded(codes, table):
    """The bytes that codes stand for."""
    out, codes = bytearray(), iter(codes)
    for code in codes:
        if code == 255:
            literal = next(codes, None)
            check(literal is not None, "an escape of nothing")
            out.append(literal)
        else:
            check(code < len(table), "a code without a symbol")
            out += table[code]
    return bytes(out)


def pairs(cursor):
    """The tokens of byte pairs, and how many bits a code has."""
    count = cursor.count(4096 - 256)
    width = (256 + count - 1).bit_length()
    packed = int.from_bytes(cursor.take(-(-2 * count * width // 8)), "little")
    tokens = [bytes([byte]) for byte in range(256)]
    for at in range(0, 2 * count * width, 2 * width):
        both = [packed >> at + half & (1 << width) - 1 for half in (0, width)]
        check(all(token < len(tokens) for token in both), "a pair of a later token")
        tokens.append(b"".join(tokens[token] for token in both))
        check(len(tokens[-1]) <= 16, "a token of more than 16 bytes")
    return tokens, width


def joined(codes, table):
    """The bytes of the tokens that codes stand for."""
    tokens, width = table
    packed, out = int.from_bytes(codes, "little"), bytearray()
    for i in range(8 * len(codes) // width):
        code = packed >> i * width & (1 << width) - 1
        check(code < len(tokens), "a code without a token")
        out += tokens[code]
    return bytes(out)


def groups(cursor, n, depth, kind):
    lengths = numbers(cursor, n, depth)
    ends = numbers(cursor, -(-n // 64), depth)
    take, expand = {0: (lambda _: None, lambda part, _: part), 2: (symbols, expanded), 5: (pairs, joined)}[kind]
    table = take(cursor)
    data = cursor.bytes()
    check(all(a <= b for a, b in zip([0] + ends, ends)), "ends descend")
    check((ends[-1] if ends else 0) == len(data), "the last end")
    out = []
    for group, (start, end) in enumerate(zip([0] + ends, ends)):
        part = expand(data[start:end], table)
        mine = lengths[group * 64 : group * 64 + 64]
        check(min(mine) >= 0 and sum(mine) == len(part), "lengths of another group")
        at = Cursor(part)
        out += [at.take(length) for length in mine]
    return out


def integer(low, high):
    """The shortest two's complement of a number of 128 bits."""
    number = high << 64 | low & MASK
    flipped = number if number >= 0 else ~number
    return number.to_bytes(flipped.bit_length() // 8 + 1, "big", signed=True)


def template(cursor, n, depth):
    """Strings of the same texts with numbers between them."""
    count = cursor.byte()
    check(1 <= count <= 8, f"a template of {count} numbers")
    texts, widths = [cursor.take(cursor.byte())], []
    for _ in range(count):
        width = meet("widths of digits", cursor.byte())
        check(width <= 16, f"a number of {width} digits")
        widths.append(width)
        texts.append(cursor.take(cursor.byte()))
    out = [texts[0]] * n
    for width, text in zip(widths, texts[1:]):
        most = 10 ** (width or 8)
        for i, number in enumerate(numbers(cursor, n, depth)):
            check(0 <= number < most, "a number of more digits")
            out[i] += b"%0*d" % (width, number) + text
    return out


def strings(cursor, n, depth=DEPTH):
    """The next n strings, as bytes."""
    check(depth > 0, "too deep")
    depth -= 1
    kind = meet("strings", cursor.byte())
    if kind in (0, 2, 5):
        return groups(cursor, n, depth, kind)
    if kind == 1:
        entries = strings(cursor, cursor.count(min(MOST, n)), depth)
        return looked_up(entries, numbers(cursor, n, depth))
    if kind == 4:
        return template(cursor, n, depth)
    check(kind == 3, f"strings of kind {kind}")
    parts = meet("parts of integers", cursor.byte())
    check(parts in (1, 2), f"integers of {parts} parts")
    low = numbers(cursor, n, depth)
    high = numbers(cursor, n, depth) if parts == 2 else [number >> 63 for number in low]
    return [integer(*pair) for pair in zip(low, high)]
