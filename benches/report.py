#!/usr/bin/env python3
"""Writes the tables and charts of the pages from the results of ``race.sh``.

    report.py [--check | --print] RESULTS

RESULTS has a file for each group of tables and each build (``flat-default.json``), and ``remote``, ``cold`` and ``sql-*``.
docs/performance.md is benches/performance.template with the tables; in README.md and benches/sql/README.md they are between markers.
``--check`` fails where a page has other tables; ``--print`` prints the first of them, and writes nothing. Needs only Python's
standard library.
"""

import json
import math
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# The groups of tables, and what they are.
GROUPS = {
    "flat": "packages: flights, weather, postal codes, bird strikes, movies, the index of Debian",
    "surveys": "surveys: elections, sports and others (fivethirtyeight)",
    "large": "large tables",
    "nested": "nested tables",
    "text": "text",
}

# Those are in no mean over all tables.
MADE = {"made": "generated tables"}

# What is compared: ours, and the peer.
PAIRS = [
    ("trevni-pack", "parquet-snappy"),
    ("trevni-pack", "parquet-tuned-snappy"),
    ("trevni-pack", "parquet-tuned-zstd3"),
    ("trevni-pack", "parquet60-tuned-zstd3"),
    ("trevni-pack", "vortex"),
    ("trevni-pack+zstd", "parquet-tuned-zstd3"),
    ("trevni-pack+zstd", "vortex-compact"),
    ("trevni-snappy", "parquet-snappy"),
]
HEADLINE = [
    ("trevni-pack", "parquet-tuned-zstd3"),
    ("trevni-pack", "parquet-snappy"),
    ("trevni-pack", "vortex"),
    ("trevni-pack+zstd", "parquet-tuned-zstd3"),
    ("trevni-snappy", "parquet-snappy"),
]

NAMES = {
    "parquet-snappy": "Parquet, snappy, defaults",
    "parquet-zstd3": "Parquet, zstd 3, defaults",
    "parquet-tuned-snappy": "Parquet, snappy, tuned",
    "parquet-tuned-zstd3": "Parquet, zstd 3, tuned",
    "parquet60-tuned-zstd3": "Parquet 60, zstd 3, tuned, ALP",
    "vortex": "Vortex",
    "vortex-compact": "Vortex, compact",
    "trevni-snappy": "trevni",
    "trevni-pack": "pack",
    "trevni-pack+zstd": "pack+zstd",
}

MEASURES = {
    "size": "size",
    "write": "write",
    "read": "read",
    "kept": "kept",
    "column": "one column",
    "rows": "rows",
    "open_rows": "rows, open",
    "filter": "filter",
}
# Configurations that are better at single rows than the one that they are of.
SMALL_PAGES = {"parquet-tuned-zstd3": "parquet-tuned-zstd3-small"}


class Results:
    """The outcomes of one build: by table and configuration."""

    def __init__(self, folder, groups, build):
        self.tables, self.processor, self.build = {}, "", ""
        for group in groups:
            path = folder / f"{group}-{build}.json"
            if not path.exists():
                continue
            found = json.loads(path.read_text())
            self.processor, self.build = found["processor"], found["build"]
            for outcome in found["outcomes"]:
                self.tables.setdefault(outcome["table"], {})[outcome["config"]] = outcome

    def value(self, table, config, measure):
        """Returns megabytes or milliseconds, or None."""
        outcome = self.tables[table].get(config)
        if outcome is None:
            return None
        if measure == "size":
            return outcome["size_mb"]
        found = outcome["times"].get(measure, [None])[0]
        if measure in ("rows", "open_rows") and config in SMALL_PAGES:
            small = self.value(table, SMALL_PAGES[config], measure)
            found = min(filter(None, [found, small]), default=None)
        return found

    def ratio(self, table, ours, peer, measure):
        """Returns our size beside the peer's, or how many times as fast we are."""
        one, other = self.value(table, ours, measure), self.value(table, peer, measure)
        if not one or not other:
            return None
        return one / other if measure == "size" else other / one

    def means(self, ours, peer, measure, without=()):
        """Returns the geometric mean over the tables, and the ratio of the sums."""
        tables = [t for t in self.tables if t not in without and self.ratio(t, ours, peer, measure)]
        if not tables:
            return None
        mean = math.exp(sum(math.log(self.ratio(t, ours, peer, measure)) for t in tables) / len(tables))
        one, other = (sum(self.value(t, c, measure) for t in tables) for c in (ours, peer))
        return mean, (one / other if measure == "size" else other / one)


def best(folder, groups):
    """The build for the processor of the machine; the default one where there is no other."""
    native = Results(folder, groups, "native")
    return native if native.tables else Results(folder, groups, "default")


def row(cells):
    return "| " + " | ".join(cells) + " |\n"


def head(first, names):
    return row([first, *names]) + "|---|" + "--:|" * len(names) + "\n"


def pair(means):
    return "-" if means is None else f"{means[0]:.2f} / {means[1]:.2f}"


def brief(value):
    if value is None:
        return "-"
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def means_table(results, pairs, measures=MEASURES):
    """A line for each pair, with both means of each measure."""
    out = head("", measures.values())
    for ours, peer in pairs:
        cells = [pair(results.means(ours, peer, measure)) for measure in measures]
        if any(cell != "-" for cell in cells):
            out += row([f"{NAMES[ours]} beside {NAMES[peer]}", *cells])
    return out


def headline(folder):
    """The table of the README: both builds."""
    out = ""
    for build in ("default", "native"):
        results = Results(folder, GROUPS, build)
        if results.tables:
            what = "as a crate's user builds it" if build == "default" else "`-C target-cpu=native`"
            out += f"{what[0].upper() + what[1:]} ({len(results.tables)} tables, {results.processor}):\n\n"
            out += means_table(results, HEADLINE) + "\n"
    return out + sizes_by_group(folder)


def sizes_by_group(folder):
    """The sizes beside the best Parquet, of each group of tables."""
    found = {about.split(":")[0]: best(folder, [group]) for group, about in GROUPS.items()}
    found = {name: results for name, results in found.items() if results.tables}
    names = [f"{name} ({len(results.tables)})" for name, results in found.items()]
    out = "Sizes by group of tables:\n\n" + head("", names)
    for ours, peer in [("trevni-pack", "parquet-tuned-zstd3"), ("trevni-pack+zstd", "parquet-tuned-zstd3")]:
        cells = [pair(results.means(ours, peer, "size")) for results in found.values()]
        out += row([f"{NAMES[ours]} beside {NAMES[peer]}", *cells])
    return out


def outliers(results):
    """What the means are without the table that is furthest from them."""
    out = ""
    for ours, peer in PAIRS[:5]:
        parts = []
        for measure, name in MEASURES.items():
            whole = results.means(ours, peer, measure)
            if whole is None:
                continue
            ratios = {t: results.ratio(t, ours, peer, measure) for t in results.tables}
            known = {t: r for t, r in ratios.items() if r}
            most = max(known, key=lambda t: abs(math.log(known[t] / whole[0])))
            mean = results.means(ours, peer, measure, [most])[0]
            parts.append(f"{name} {whole[0]:.2f}, without `{most}` ({known[most]:.2f}) {mean:.2f}")
        if parts:
            out += f"* {NAMES[ours]} beside {NAMES[peer]}: " + "; ".join(parts) + ".\n"
    return out


def losses(results):
    """The tables on which pack is behind a peer, by measure."""
    out = ""
    for ours, peer in [("trevni-pack", "parquet-tuned-zstd3"), ("trevni-pack", "vortex")]:
        for measure, name in MEASURES.items():
            found = []
            for table in results.tables:
                ratio = results.ratio(table, ours, peer, measure)
                behind = ratio and (ratio > 1.005 if measure == "size" else ratio < 0.995)
                if behind:
                    found.append((ratio, f"`{table}` {ratio:.2f}"))
            found.sort(reverse=measure == "size")
            count = sum(1 for t in results.tables if results.ratio(t, ours, peer, measure))
            if found:
                shown = ", ".join(text for _, text in found[:12])
                more = f", and {len(found) - 12} others" if len(found) > 12 else ""
                out += f"* {name}, beside {NAMES[peer]}: {len(found)} of {count}: {shown}{more}.\n"
    return out


def groups_table(folder):
    """Each group, and each of its tables."""
    out = ""
    for group, about in {**GROUPS, **MADE}.items():
        for build in ("default", "native"):
            results = Results(folder, [group], build)
            if not results.tables:
                continue
            out += f"\n**{about[0].upper() + about[1:]}** ({len(results.tables)} tables, {results.build}):\n\n"
            out += means_table(results, PAIRS)
    return out


COLUMNS = [
    ("rows", None, None),
    ("MB", "trevni-pack", "size"),
    ("size / snappy", "parquet-snappy", "size"),
    ("/ tuned", "parquet-tuned-zstd3", "size"),
    ("/ Vortex", "vortex", "size"),
    ("write / snappy", "parquet-snappy", "write"),
    ("read / snappy", "parquet-snappy", "read"),
    ("/ tuned", "parquet-tuned-zstd3", "read"),
    ("/ Vortex", "vortex", "read"),
    ("column / Vortex", "vortex", "column"),
    ("rows / Vortex", "vortex", "rows"),
    ("filter / Vortex", "vortex", "filter"),
]


def each_table(folder):
    """A line for each table: pack beside three peers."""
    results = best(folder, {**GROUPS, **MADE})
    out = head("table", [name for name, _, _ in COLUMNS])
    for table, configs in results.tables.items():
        cells = []
        for name, peer, measure in COLUMNS:
            if name == "rows":
                cells.append(str(next(iter(configs.values()))["rows"]))
            elif name == "MB":
                cells.append(brief(results.value(table, peer, measure)))
            else:
                ratio = results.ratio(table, "trevni-pack", peer, measure)
                cells.append("-" if ratio is None else f"{ratio:.2f}")
        out += row([table, *cells])
    return out


def spread(folder):
    """How far apart the quartiles of a measure are, as a share of its median."""
    shares = []
    for build in ("default", "native"):
        for configs in Results(folder, GROUPS, build).tables.values():
            for outcome in configs.values():
                shares += [(high - low) / median for median, low, high in outcome["times"].values() if median]
    shares.sort()
    if not shares:
        return ""
    at = lambda share: shares[int(share * (len(shares) - 1))]
    return f"The quartiles of a measure are {at(0.5):.0%} of its median apart in the median, {at(0.9):.0%} in one of ten.\n"


def remote(folder):
    path = folder / "remote.json"
    if not path.exists():
        return ""
    answers = json.loads(path.read_text())["answers"]
    out = ""
    for question in dict.fromkeys(answer["question"] for answer in answers):
        out += f"\n**{question[0].upper() + question[1:]}**\n\n" + head("", ["requests", "round trips", "MB", "ms"])
        for a in answers:
            if a["question"] == question:
                hint = ", 64 KiB of the end first, size known" if "64" in a["reader"] else ""
                name = NAMES[a["config"]] + hint
                out += row([name, str(a["requests"]), str(a["trips"]), brief(a["mb"]), f"{a['ms']:.0f}"])
    return out


def cold(folder):
    path = folder / "cold.json"
    if not path.exists():
        return ""
    found = json.loads(path.read_text())
    tables = list(dict.fromkeys(outcome["table"] for outcome in found["outcomes"]))
    configs = list(dict.fromkeys(outcome["config"] for outcome in found["outcomes"]))
    out = head("", tables)
    values = {(o["table"], o["config"]): o["times"]["cold"][0] for o in found["outcomes"]}
    for config in configs:
        out += row([NAMES.get(config, config), *(brief(values.get((table, config))) for table in tables)])
    return out


def sql(folder, workload):
    """The times of all queries: least and median of each engine, both builds."""
    out = ""
    for build in ("default", "native"):
        path = folder / f"sql-{workload}-{build}.json"
        if not path.exists():
            continue
        found = json.loads(path.read_text())
        engines, queries = found["engines"], found["queries"]
        out += f"\n{found['build'][0].upper() + found['build'][1:]}, {found['processor']}; least / median:\n\n"
        out += head("query", engines)
        for query in queries:
            cells = [f"{brief(a)} / {brief(b)}" for a, b in zip(query["least"], query["milliseconds"])]
            out += row([str(query["number"]), *cells])
        places = range(len(engines))
        sums = [(sum(q["least"][p] for q in queries), sum(q["milliseconds"][p] for q in queries)) for p in places]
        out += row(["total", *(f"{a:.0f} / {b:.0f}" for a, b in sums)])
        means = []
        for p in places:
            both = []
            for key in ("least", "milliseconds"):
                both.append(math.exp(sum(math.log(q[key][0] / q[key][p]) for q in queries) / len(queries)))
            means.append(f"{both[0]:.2f} / {both[1]:.2f}")
        out += row([f"geometric mean, times {engines[0]}", *means])
        out += row(["MB of the tables", *(f"{size / 1e6:.0f}" for size in found["bytes"])])
        out += row(["MB read by all queries", *(f"{size / 1e6:.0f}" if size else "-" for size in found["read"])])
    return out


BARS = {
    "parquet-snappy": "#1f5a96",
    "parquet-tuned-zstd3": "#8db8e2",
    "vortex": "#5b9a68",
    "vortex-compact": "#a9cfb0",
    "trevni-snappy": "#b8500b",
    "trevni-pack": "#7c1d1d",
    "trevni-pack+zstd": "#b0656a",
}


def chart(folder):
    """Bars of the geometric means beside Parquet with snappy; lower is better."""
    results = best(folder, GROUPS)
    width, height, floor, top = 900, 290, 250, 72
    measures = {key: name for key, name in MEASURES.items() if key != "open_rows"}
    values = {}
    for config in BARS:
        for measure in measures:
            means = results.means(config, "parquet-snappy", measure)
            if means:
                values[config, measure] = means[0] if measure == "size" else 1 / means[0]
    most = 2.0
    title = "Beside Parquet with snappy, geometric means; lower is better; bars beyond 2 are cut"
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="system-ui, sans-serif" font-size="11" fill="#222" role="img">',
        f"<title>{title}</title>",
        '<rect width="100%" height="100%" fill="#fff"/>',
    ]
    x = 20
    for config, colour in BARS.items():
        out.append(f'<rect x="{x}" y="15" width="11" height="11" fill="{colour}"/>')
        out.append(f'<text x="{x + 16}" y="25">{NAMES[config]}</text>')
        x += 34 + 6.2 * len(NAMES[config])
    out.append(f'<text x="20" y="56" font-size="13" font-weight="600">{title}</text>')
    scale = lambda value: floor - min(value, most) / most * (floor - top)
    for tick in (0, 0.5, 1, 1.5, 2):
        out.append(f'<path d="M48 {scale(tick):.1f}H880" stroke="#ddd"/>')
        out.append(f'<text x="43" y="{scale(tick) + 4:.1f}" text-anchor="end" fill="#555">{tick:g}</text>')
    group = 832 / len(measures)
    bar = group * 0.84 / len(BARS)
    for place, (measure, name) in enumerate(measures.items()):
        left = 48 + group * (place + 0.08)
        out.append(f'<text x="{left + group * 0.42:.1f}" y="{floor + 17}" text-anchor="middle">{name}</text>')
        for at, (config, colour) in enumerate(BARS.items()):
            value = values.get((config, measure))
            if value:
                y = scale(value)
                out.append(
                    f'<rect x="{left + at * bar:.1f}" y="{y:.1f}" width="{bar - 1:.1f}" height="{floor - y:.1f}" '
                    f'fill="{colour}"><title>{name}, {NAMES[config]}: {value:.2f}</title></rect>'
                )
    return "\n".join([*out, "</svg>"]) + "\n"


def filled(blocks):
    """Returns the page of the template."""
    text = (ROOT / "benches/performance.template").read_text()
    return re.sub(r"\{\{(\S+)\}\}", lambda match: blocks[match[1]].strip("\n") or "Not measured yet.", text)


def replaced(page, blocks):
    """Returns a page with other tables between its markers."""
    text = (ROOT / page).read_text()
    for name, block in blocks.items():
        if not block:
            # Not measured: what stands there stays.
            continue
        pattern = rf"(<!-- {name}: made by benches/report.py -->\n).*?(<!-- /{name} -->)"
        text, count = re.subn(pattern, lambda m: m[1] + "\n" + block.strip("\n") + "\n\n" + m[2], text, flags=re.S)
        if count != 1:
            sys.exit(f"{page} has {count} places for {name}")
    return text


def pages(folder, results):
    """Returns the pages, and what is in them."""
    performance = {
        "groups": groups_table(folder),
        "tables": each_table(folder),
        "losses": losses(results),
        "outliers": outliers(results),
        "spread": spread(folder),
        "remote": remote(folder),
        "cold": cold(folder),
    }
    return {
        "README.md": replaced("README.md", {"headline": headline(folder)}),
        "benches/sql/README.md": replaced(
            "benches/sql/README.md", {"tpch": sql(folder, "tpch"), "web-log": sql(folder, "web-log")}
        ),
        "docs/performance.md": filled(performance),
        "docs/performance.svg": chart(folder),
    }


def main():
    *options, folder = sys.argv[1:] or [""]
    if not folder or options not in ([], ["--check"], ["--print"]):
        sys.exit(__doc__)
    folder = pathlib.Path(folder)
    results = best(folder, GROUPS)
    if not results.tables:
        sys.exit(f"{folder} has no results")
    if options == ["--print"]:
        print(headline(folder), groups_table(folder), each_table(folder), losses(results), outliers(results), sep="\n")
        print(spread(folder), remote(folder), cold(folder), sep="\n")
        return
    for page, text in pages(folder, results).items():
        path = ROOT / page
        if options == ["--check"] and path.read_text() != text:
            sys.exit(f"{page} is not what the results give: benches/report.py {folder} writes it")
        if not options:
            path.write_text(text)


if __name__ == "__main__":
    main()
