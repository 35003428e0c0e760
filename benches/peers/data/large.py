"""Tables of 50 MB and more, as text. A fifth, TPC-H's ``lineitem`` at scale factor 1, is generated."""

import gzip
import re

from registry import DEBIAN, debian_entries, get, npm_json, write_csv, write_json


def contents(folder):
    """The paths of all files of Debian's packages."""
    lines = gzip.decompress(get(DEBIAN + "Contents-amd64.gz")).decode("utf-8", "replace").splitlines()
    rows = (line.rpartition(" ") for line in lines)
    write_csv(folder / "contents.csv.gz", ["path", "packages"], ((path.rstrip(), names) for path, _, names in rows))


def dependencies(text):
    """Parses a field of dependencies: alternatives that are all needed."""
    found = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        alternatives = []
        for one in part.split("|"):
            name, operator, version = re.match(r"\s*([^\s(\[<]+)\s*(?:\(([<>=]+)\s*([^)]*)\))?", one).groups()
            alternatives.append({"name": name, "operator": operator, "version": version})
        found.append(alternatives)
    return found


def packages(folder):
    """The package index of Debian with its dependencies and tags as lists."""

    def row(entry):
        lists = {name.lower(): dependencies(entry.get(name, "")) for name in ["Depends", "Recommends", "Suggests"]}
        tags = [tag.strip() for tag in entry.get("Tag", "").replace("\n", " ").split(",") if tag.strip()]
        plain = {name: entry.get(name) for name in ["Package", "Source", "Version", "Section", "Priority", "SHA256"]}
        about = {"maintainer": entry.get("Maintainer"), "homepage": entry.get("Homepage"), "tags": tags}
        sizes = {"installed": int(entry.get("Installed-Size", 0)), "size": int(entry["Size"])}
        return {**plain, **sizes, **lists, "about": about, "description": entry.get("Description")}

    write_json(folder / "packages.jsonl.gz", map(row, debian_entries("binary-amd64/Packages.xz")))


def sources(folder):
    """The source packages of Debian: files with sizes and checksums, what is built, what that needs."""

    def row(entry):
        files = [line.split() for line in entry.get("Checksums-Sha256", "").split("\n") if line.strip()]
        return {
            "package": entry.get("Package"),
            "version": entry.get("Version"),
            "section": entry.get("Section"),
            "directory": entry.get("Directory"),
            "maintainer": entry.get("Maintainer"),
            "uploaders": [one.strip() for one in entry.get("Uploaders", "").split(",") if one.strip()],
            "binaries": [name.strip() for name in entry.get("Binary", "").replace("\n", " ").split(",")],
            "needs": dependencies(entry.get("Build-Depends", "").replace("\n", " ")),
            "files": [{"name": name, "size": int(size), "sha256": sha} for sha, size, name in files],
        }

    write_json(folder / "sources.jsonl.gz", map(row, debian_entries("source/Sources.xz")))


def npm_names(folder):
    """The names of all packages of npm."""
    names = npm_json("all-the-package-names", "2.0.2578", "names.json")
    write_json(folder / "npm-names.jsonl.gz", ({"name": name} for name in names))


SOURCES = {
    contents: ["contents.csv.gz"],
    packages: ["packages.jsonl.gz"],
    sources: ["sources.jsonl.gz"],
    npm_names: ["npm-names.jsonl.gz"],
}
