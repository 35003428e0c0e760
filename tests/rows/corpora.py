"""Converts the files that corpora.txt lists, there and back, and compares their types with those of DuckDB and pyarrow.

corpora.py packages [--few]            prints the packages to fetch: registry, name, version
corpora.py check [--few] DIR TREVNI    checks the files of the packages below DIR; exit code 1 unless all is well
"""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import shlex
import shutil
import subprocess
import sys

FEW = 20
# The share of columns of which the type must be that of DuckDB or that of pyarrow.
AGREE = 0.99
# A file of more columns than this counts as one column: it is an object of many keys.
WIDE = 200
MESSAGE = 300

File = collections.namedtuple("File", "registry package version path options")
Failure = collections.namedtuple("Failure", "file step command message")


def listed(few):
    text = pathlib.Path(__file__).with_name("corpora.txt").read_text()
    lines = [line.split() for line in text.splitlines() if line and not line.startswith("#")]
    files = [File(*line[:4], line[4:]) for line in lines]
    return files[:FEW] if few else files


class Check:
    """One file on its way."""

    def __init__(self, file, folder, trevni):
        self.file, self.folder, self.trevni = file, folder, trevni
        self.is_json = file.path.endswith(".json")
        self.has_header = "--no-header" not in file.options
        self.name = f"{file.package}-{pathlib.Path(file.path).name}"
        packages = folder / "packages" / f"{file.registry}-{file.package}-{file.version}"
        self.path = folder / ("json" if self.is_json else "csv") / self.name
        self.path.parent.mkdir(exist_ok=True)
        shutil.copy(packages / file.path, self.path)
        self.work = folder / "work" / self.name
        self.work.mkdir(parents=True)
        self.text = "jsonl" if self.is_json else "csv"
        self.failures = []
        self.columns = []

    def fail(self, step, command, message):
        message = " ".join(message.split())[:MESSAGE]
        self.failures.append(Failure(self.name, step, shlex.join(map(str, command)), message))

    def convert(self, step, source, target, *options):
        """Whether the conversion went well."""
        command = [self.trevni, "convert", source, target, *options]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
        if done.returncode != 0:
            self.fail(step, command, f"exit code {done.returncode}: {done.stderr}")
        return done.returncode == 0

    def run(self):
        import corpora_types
        import corpora_values

        direct = self.work / f"direct.{self.text}"
        arrow = self.work / "direct.arrow"
        if self.convert(self.text, self.path, direct, *self.file.options):
            for kind in ["trv", "parquet", "avro"]:
                self.there_and_back(kind, direct)
        if self.convert("arrow", self.path, arrow, *self.file.options):
            ours = corpora_types.of_arrow_file(arrow)
            self.columns = corpora_types.compare(self, ours)
            if direct.exists():
                wrong = corpora_values.difference(self, direct, ours)
                if wrong:
                    self.fail("values", ["diff", self.path, direct], wrong)
        shutil.rmtree(self.work)
        return self

    def there_and_back(self, kind, direct):
        import corpora_values

        there, back = self.work / f"there.{kind}", self.work / f"{kind}.{self.text}"
        options = ["--rename", "avro"] if kind == "avro" else []
        if not self.convert(f"to {kind}", self.path, there, *self.file.options, *options):
            return
        if not self.convert(f"from {kind}", there, back, *([] if self.has_header else ["--no-header"])):
            return
        # Avro has other names where it must, so of names that are not legal there only the values are compared.
        wrong = corpora_values.text_difference(self, direct, back, names=kind != "avro")
        if wrong:
            self.fail(f"by {kind}", ["diff", direct, back], wrong)


def table(heads, rows):
    rows = [heads, *[[str(cell) for cell in row] for row in rows]]
    widths = [min(60, max(len(row[i]) for row in rows)) for i in range(len(heads))]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())


def check(folder, trevni, files):
    shutil.rmtree(folder / "work", ignore_errors=True)
    checks = [Check(file, folder, trevni) for file in files]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        checks = list(pool.map(Check.run, checks))
    failures = [failure for check in checks for failure in check.failures]
    columns = [column for check in checks for column in check.columns]
    disagreeing = [column for column in columns if not column.agrees]

    print(f"{len(failures)} failures")
    for failure in failures:
        print(f"  {failure.file}  {failure.step}\n    $ {failure.command}\n    {failure.message}")
    print(f"\n{len(disagreeing)} columns of other types than both peers have")
    if disagreeing:
        table(["file", "column", "ours", "DuckDB", "pyarrow"], [column[:5] for column in disagreeing])
    failed = {failure.file for failure in failures}
    share = 1 - len(disagreeing) / max(1, len(columns))
    print(f"\n{len(checks) - len(failed)} of {len(checks)} files convert there and back; ", end="")
    print(f"{len(columns) - len(disagreeing)} of {len(columns)} columns agree ({share:.2%}, wanted {AGREE:.0%})")
    return 0 if not failures and columns and share >= AGREE else 1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("action", choices=["packages", "check"])
    parser.add_argument("--few", action="store_true")
    parser.add_argument("dir", nargs="?", type=pathlib.Path)
    parser.add_argument("trevni", nargs="?")
    args = parser.parse_intermixed_args()
    files = listed(args.few)
    if args.action == "packages":
        for package in dict.fromkeys((file.registry, file.package, file.version) for file in files):
            print(*package)
        return 0
    return check(args.dir, args.trevni, files)


if __name__ == "__main__":
    sys.exit(main())
