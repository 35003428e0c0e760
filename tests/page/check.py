"""Opens pages of `trevni describe --html` in a browser, and compares what it shows with the rows.

check.py TREVNI CHROMIUM
"""

import csv
import html
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

TREVNI, CHROMIUM = sys.argv[1], sys.argv[2]
HERE = pathlib.Path(__file__).parent
ROWS = HERE / "../../testdata/rows/quakes.csv"
# Browsers without a window are at least so wide; narrower pages are a part of that.
LEAST = 500
MOST_BYTES = 2_000_000
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--virtual-time-budget=5000"]


def trevni(*args):
    subprocess.run([TREVNI, *map(str, args)], check=True, stderr=subprocess.DEVNULL)


def browser(page, width, dark, *flags):
    """Runs the browser; gives the document, and what is on the console."""
    scheme = f"--blink-settings=preferredColorScheme={0 if dark else 1}"
    flags = [*FLAGS, f"--window-size={max(width, LEAST)},2000", scheme, "--enable-logging=stderr", *flags]
    done = subprocess.run([CHROMIUM, *flags, page.as_uri()], check=True, capture_output=True, text=True, timeout=120)
    return done.stdout, [line for line in done.stderr.splitlines() if ":CONSOLE:" in line]


def picture(page, width, dark):
    """A screenshot of the page as it is, under its own policy, which nothing on it may break."""
    image = page.with_suffix(".png")
    _, console = browser(page, width, dark, f"--screenshot={image}")
    assert console == [], console
    pixels = image.read_bytes()
    assert struct.unpack(">II", pixels[16:24]) == (max(width, LEAST), 2000), "the size of the screenshot"
    assert len(pixels) > 10_000, "the page is blank"
    return pixels


def shown(page, width, dark=False):
    """What the browser shows of a page at a width."""
    text = page.read_text()
    assert "Content-Security-Policy" in text and "default-src 'none'" in text
    assert not re.search(r"https?:|url\(|src=|<script|javascript:", text), "the page refers to something else"
    # The policy of the page forbids scripts, that which measures included.
    text = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", text)
    script = (HERE / "measure.js").read_text()
    measured = page.with_suffix(".measured.html")
    if width < LEAST:
        text = text.replace("</style>", f"body {{ margin: 0; width: {width}px; }}</style>")
    script = f"const pageWidth = {width};{script}"
    measured.write_text(text.replace("</body>", f"<script>{script}</script></body>"))
    dom, console = browser(measured, width, dark, "--dump-dom")
    assert console == [], console
    return json.loads(html.unescape(re.search(r'<pre id="result">(.*?)</pre>', dom, re.S).group(1)))


def check(page, columns, width, dark=False):
    found = shown(page, width, dark)
    names = [column["name"] for column in found["columns"]]
    assert names == columns, (names, columns)
    assert found["hidden"] == 0 and found["overflow"] == [] and found["scripts"] == 0, found
    assert found["covered"] == 0 and found["unlabeled"] == 0, found
    return found


def check_console(folder):
    """What a page must not load is on the console: otherwise an empty one says nothing."""
    page = folder / "refused.html"
    policy = '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'">'
    page.write_text(f"<!DOCTYPE html>{policy}<img src='x.png'>")
    _, console = browser(page, LEAST, False, "--dump-dom")
    assert any("violates" in line for line in console), console


def check_quakes(folder):
    rows = list(csv.DictReader(ROWS.open()))
    columns = list(rows[0])
    trevni("convert", ROWS, folder / "x.trv", "--block-size", "1k")
    for name in ["x.trv", "x.csv"]:
        source = folder / name if name == "x.trv" else ROWS
        page = folder / f"{name}.html"
        trevni("describe", "--html", page, source)
        backgrounds = set()
        assert picture(page, 1280, False) != picture(page, 1280, True), "light and dark look the same"
        for width, dark in [(1280, False), (1280, True), (500, False), (360, True)]:
            found = check(page, columns, width, dark)
            backgrounds.add(found["background"])
            by_name = {column["name"]: column for column in found["columns"]}
            assert found["summary"].startswith(f"{source.suffix[1:]}, {len(rows)} rows, {len(columns)} columns, "), found["summary"]
            assert re.sub(r"\W", "", found["summary"].split(", ")[3]) == f"{source.stat().st_size}bytes", found["summary"]
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
    print(f"the browser shows {len(columns)} columns of {len(rows)} rows, light and dark, wide and narrow")


def check_many(folder):
    """Many blocks, and many columns."""
    rows, columns = 30_000, 6
    with (folder / "many.csv").open("w") as out:
        writer = csv.writer(out)
        writer.writerow(f"column {n}" for n in range(columns))
        writer.writerows([row * 7919 % 100_003 + n / 7 for n in range(columns)] for row in range(rows))
    trevni("convert", folder / "many.csv", folder / "many.trv", "--block-size", "256")
    trevni("describe", "--html", folder / "many.html", folder / "many.trv")
    bytes = (folder / "many.html").stat().st_size
    assert bytes < MOST_BYTES, f"{bytes} bytes"
    found = check(folder / "many.html", [f"column {n}" for n in range(columns)], 1280)
    picture(folder / "many.html", 1280, False)
    print(f"the browser shows {found['blocks']} rectangles of blocks, on a page of {bytes} bytes")


def check_hostile(folder):
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
    for width in [500, 360]:
        check(folder / "hostile.html", [name.strip() for name in hostile], width)
    print("the browser takes names and values for text")


with tempfile.TemporaryDirectory() as temporary:
    for each in [check_console, check_quakes, check_many, check_hostile]:
        each(pathlib.Path(temporary))
