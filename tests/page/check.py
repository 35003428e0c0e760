"""Opens pages of `trevni describe --html` in a browser, and compares what it shows with the rows."""

import csv
import html
import json
import pathlib
import re
import subprocess
import sys
import tempfile

TREVNI, CHROMIUM = sys.argv[1], sys.argv[2]
HERE = pathlib.Path(__file__).parent
ROWS = HERE / "../../testdata/rows/quakes.csv"
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--virtual-time-budget=5000"]


def trevni(*args):
    subprocess.run([TREVNI, *map(str, args)], check=True, stderr=subprocess.DEVNULL)


def shown(page, width, dark=False):
    """What the browser shows of a page at a width."""
    text = page.read_text()
    assert "Content-Security-Policy" in text and "default-src 'none'" in text
    assert not re.search(r"https?:|url\(|src=|<script|javascript:", text), "the page refers to something else"
    # The policy of the page forbids scripts, that which measures included.
    text = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", text)
    script = (HERE / "measure.js").read_text()
    measured = page.with_suffix(".measured.html")
    measured.write_text(text.replace("</body>", f"<script>{script}</script></body>"))
    flags = [*FLAGS, f"--window-size={width},2000", f"--blink-settings=preferredColorScheme={0 if dark else 1}"]
    command = [CHROMIUM, *flags, "--dump-dom", measured.as_uri()]
    dom = subprocess.run(command, check=True, capture_output=True, text=True, timeout=120).stdout
    return json.loads(html.unescape(re.search(r'<pre id="result">(.*?)</pre>', dom, re.S).group(1)))


def check(page, columns, width, dark=False):
    found = shown(page, width, dark)
    names = [column["name"] for column in found["columns"]]
    assert names == columns, (names, columns)
    assert found["hidden"] == 0 and found["overflow"] == [] and found["scripts"] == 0, found
    return found


def main():
    folder = pathlib.Path(tempfile.mkdtemp())
    rows = list(csv.DictReader(ROWS.open()))
    columns = list(rows[0])
    trevni("convert", ROWS, folder / "x.trv", "--block-size", "1k")
    for name in ["x.trv", "x.csv"]:
        source = folder / name if name == "x.trv" else ROWS
        page = folder / f"{name}.html"
        trevni("describe", "--html", page, source)
        backgrounds = set()
        for width, dark in [(1280, False), (1280, True), (500, False)]:
            found = check(page, columns, width, dark)
            backgrounds.add(found["background"])
            by_name = {column["name"]: column for column in found["columns"]}
            assert found["summary"].startswith(f"{len(rows)} rows, {len(columns)} columns"), found["summary"]
            depths = [float(row["depth_km"]) for row in rows if row["depth_km"]]
            facts = by_name["depth_km"]["facts"]
            assert facts["nulls"].startswith(f"{len(rows) - len(depths)} ("), facts
            assert (float(facts["min"]), float(facts["max"])) == (min(depths), max(depths)), facts
            assert 4 <= by_name["depth_km"]["bins"] <= 16 and by_name["id"]["bins"] == 16
            assert set(by_name["reviewed"]["top"]) == {"true", "false"}
            assert len(by_name["place"]["top"]) == 6
            is_trv = name == "x.trv"
            assert (found["sizes"] > len(columns), found["blocks"] > len(columns)) == (is_trv, is_trv), found
        assert len(backgrounds) == 2, "the page is not dark where that is preferred"
    hostile = ["<script>alert(1)</script>", "a & b", "'\"><img src=x onerror=alert(1)>", "name " * 30]
    with (folder / "hostile.csv").open("w") as out:
        writer = csv.writer(out)
        writer.writerow(hostile)
        writer.writerows([f"</style>{n % 3}", n, f"<b>{n}</b>", "w" * 500] for n in range(50))
    trevni("describe", "--html", folder / "hostile.html", folder / "hostile.csv")
    text = (folder / "hostile.html").read_text()
    assert "<script>" not in text and "<img" not in text and text.count("</style>") == 1
    (folder / "hostile.html").write_text(text.replace("src=x", "src-x"))
    hostile[2] = hostile[2].replace("src=x", "src-x")
    check(folder / "hostile.html", [name.strip() for name in hostile], 500)
    print(f"the browser shows {len(columns)} columns of {len(rows)} rows, light and dark, wide and narrow")


main()
