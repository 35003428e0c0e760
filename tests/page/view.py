"""Drives the page of `trevni view`, and the page without a server: rows, filters, blocks, faults, hostile values.

view.py TREVNI CHROMIUM [FOLDER of the page without a server [FILE of a gigabyte]]
"""

import gzip
import http.server
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import urllib.parse

from chromium import Browser

TREVNI, CHROMIUM = sys.argv[1], sys.argv[2]
STATIC = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else None
LARGE = pathlib.Path(sys.argv[4]).resolve() if len(sys.argv) > 4 else None
ROWS = 1_200_000
HOSTILE = "<img src=x onerror=document.title='owned'><script>document.title='owned'</script>"
TABLE = """[...document.querySelectorAll('#table tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent))"""
FULL = "document.querySelectorAll('#table tbody tr').length > 5 && !document.querySelector('#table tbody').innerText.includes('…')"


def trevni(*args):
    subprocess.run([TREVNI, *map(str, args)], check=True, stderr=subprocess.DEVNULL)


class Server:
    """`trevni view` of a file."""

    def __init__(self, *paths):
        self.process = subprocess.Popen([TREVNI, "view", "--no-browser", *map(str, paths)], stdout=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().strip()

    def __enter__(self):
        return self.address

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


class Files(http.server.SimpleHTTPRequestHandler):
    """A server of files: by ranges, whole, or only for its own pages, as the first part of the path says."""

    sent = 0

    def log_message(self, *_):
        pass

    def answer(self, with_body):
        kind, path = re.match(r"/(\w+)/([^?]*)", self.path).groups()
        folder = {"page": STATIC}.get(kind, self.server.folder)
        file = folder / (path or "index.html")
        if not file.is_file():
            return self.send_error(404)
        found = re.match(r"bytes=(\d+)-(\d+)$", self.headers.get("Range", "")) if kind == "ranges" else None
        size = file.stat().st_size
        start, end = (int(found.group(1)), min(int(found.group(2)) + 1, size)) if found else (0, size)
        self.send_response(206 if found else 200)
        self.send_header("Content-Length", str(end - start))
        types = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm"}
        self.send_header("Content-Type", types.get(file.suffix, "application/octet-stream"))
        self.end_headers()
        if with_body:
            if kind == "ranges":
                Files.sent += end - start
            with file.open("rb") as source:
                source.seek(start)
                self.wfile.write(source.read(end - start))

    def do_GET(self):
        self.answer(True)

    def do_HEAD(self):
        self.answer(False)


def text(browser, name):
    return browser.value(f"document.getElementById({json.dumps(name)}).textContent")


def check_page(browser, address, facts):
    """What is the same with a server and without one."""

    def go(**kept):
        browser.open(f"{address}#{urllib.parse.urlencode(kept)}")
        browser.wait("document.getElementById('shown').textContent.startsWith('Rows')")
        browser.wait(FULL)
        return browser.value(TABLE)

    first = go(**facts)
    assert "1,200,000 rows, 3 columns" in text(browser, "facts"), text(browser, "facts")
    assert first[7] == ["7", "7", "0.875", "text 7 <b>"], first[7]
    names = browser.value("[...document.querySelectorAll('#table thead button')].map((name) => name.textContent)")
    assert names == ["n", HOSTILE, "t"] and "owned" not in browser.value("document.title")
    far = go(row=1_000_000, **facts)
    assert far[0] == ["1,000,000", "1000000", "0.0", "text 1 <b>"], far[0]
    assert len(far) < 100, "only rows in view are in the document"
    keys = browser.value("[...document.querySelectorAll('#metadata th')].map((key) => key.textContent)")
    assert "trevni.codec" in keys and "ARROW:schema" in keys, keys
    # By the keyboard alone: to the end of the table.
    browser.value("document.getElementById('table').focus()")
    browser.send("Input.dispatchKeyEvent", type="rawKeyDown", key="End", code="End", windowsVirtualKeyCode=35)
    browser.wait("document.getElementById('shown').textContent.includes('1,199,999 of')")
    browser.wait(FULL)
    assert browser.value(TABLE)[-1][1] == "1199999"
    filtered = go(where="n >= 700000 and t = 'text 3 <b>'", **facts)
    assert text(browser, "shown").endswith(" of 38,462"), text(browser, "shown")
    assert all(row[3] == "text 3 <b>" and int(row[1]) >= 700_000 for row in filtered)
    browser.value("document.querySelector('#where').value = 'n >> 1'; document.querySelector('#filter button').click()")
    browser.wait("document.getElementById('error').textContent.includes('expected a literal or a column')")
    go(**facts)
    check_blocks(browser)
    browser.value("[...document.querySelectorAll('#schema button')].find((name) => name.textContent === 't').click()")
    browser.wait("document.getElementById('values').textContent.includes('text 12 <b>')")
    browser.value("document.getElementById('verify').click()")
    browser.wait("document.getElementById('verdict').textContent.startsWith('No faults')")
    assert browser.problems == [], browser.problems
    pictures = set()
    for width, height in ((360, 740), (1280, 900), (3840, 2160)):
        for dark in (False, True):
            browser.show(width, height, dark)
            wide = browser.value("document.documentElement.scrollWidth")
            assert wide <= width, f"the page is {wide} wide in a window of {width}"
            pictures.add(browser.picture())
    assert len(pictures) == 6, "light and dark look the same"
    browser.show(1280, 900)


def check_damaged(browser, address, **facts):
    browser.open(f"{address}#{urllib.parse.urlencode(dict(verify=1, **facts))}")
    browser.wait("/fault/.test(document.getElementById('verdict').textContent)")
    faults = text(browser, "faults")
    assert "column" in faults and "block" in faults and "offset" in faults, faults


def check_blocks(browser):
    """Blocks: each column has some, the keys move among them, and one says how its values are encoded."""
    browser.value("document.getElementById('picture').scrollIntoView(); document.getElementById('picture').focus()")
    for key in ("ArrowDown", "ArrowRight"):
        browser.press(key)
    browser.wait("/block \\d+: rows .* offset .* ratio /.test(document.getElementById('block').textContent)")
    browser.wait("/values: .+, CRC-32 [0-9a-f]{8} verified/.test(document.getElementById('block').textContent)")


def check_difference(browser):
    """Two files side by side: their columns, and the rows that differ."""
    browser.wait("document.querySelectorAll('#both tbody tr').length === 4")
    browser.value("document.getElementById('compare').click()")
    browser.wait("document.getElementById('difference').textContent.startsWith('1 values differ')")
    cells = browser.value("[...document.querySelectorAll('#differences tbody td')].map((cell) => cell.textContent)")
    assert cells == ["1,000,000", HOSTILE, "0.0", "7.5"], cells


def check_formats(browser, page, folder):
    """Files of every format, dropped one after another; and folders."""
    browser.open(page)
    browser.wait("document.getElementById('facts').textContent.startsWith('Drop')")
    formats = ["trv", "parquet", "arrow", "arrows", "csv", "jsonl", "csv.gz", "blp", "b2nd", "bcolz", "superchunk", "sparse"]
    for at, kind in enumerate(formats):
        name, rows = f"f.{kind}", 100 + at
        source = folder / "f.csv"
        one = kind in ("b2nd", "sparse")
        lines = [f"{n}" if one else f"{n},{n / 4},text {n}" for n in range(rows)]
        source.write_text("\n".join(["n" if one else "n,x,t", *lines, ""]))
        if kind == "csv.gz":
            (folder / name).write_bytes(gzip.compress(source.read_bytes()))
        elif kind != "csv":
            to = {"superchunk": "superchunk", "sparse": "sparse"}.get(kind)
            trevni("convert", source, folder / name, *(["--to", to] if to else []))
        browser.drop(folder / name)
        browser.wait(f"document.getElementById('name').textContent === {name!r}")
        browser.wait(f"document.getElementById('facts').textContent.includes('{rows} rows')")
        browser.wait(FULL)
        first = browser.value(TABLE)[5]
        wanted = ["5", "5"] if one else ["5", "5", "1.25", "text 5"]
        assert first == wanted, (name, first)
    return formats


def check_export(browser, folder, file):
    """A page with everything in it, opened as a file of this machine."""
    page = folder / "export.html"
    trevni("view", "--export", page, file)
    assert subprocess.run([TREVNI, "view", "--export", page, file], stderr=subprocess.DEVNULL).returncode != 0
    browser.open(page.as_uri())
    browser.wait(FULL)
    assert "1,200,000 rows, 3 columns" in text(browser, "facts"), text(browser, "facts")
    assert "the first 66,666 rows are in this page" in text(browser, "facts"), text(browser, "facts")
    assert browser.value(TABLE)[7] == ["7", "7", "0.875", "text 7 <b>"]
    assert browser.value("document.getElementById('where').offsetParent === null")
    browser.value("document.getElementById('row').value = '66665'; document.getElementById('go').click()")
    browser.wait("document.getElementById('shown').textContent.endsWith('to 66,665 of 66,666')")
    assert browser.value(TABLE)[-1][1] == "66665"
    check_blocks(browser)
    browser.value("[...document.querySelectorAll('#schema button')].find((name) => name.textContent === 't').click()")
    browser.wait("document.getElementById('values').textContent.includes('text 12 <b>')")
    browser.value("document.getElementById('verify').click()")
    browser.wait("document.getElementById('verdict').textContent.startsWith('No faults')")
    assert browser.problems == [] and "owned" not in browser.value("document.title"), browser.problems


def check_static(browser, folder, file):
    """The page without a server: files that are chosen, URLs, and what cannot be read."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Files)
    server.folder = folder
    threading.Thread(target=server.serve_forever, daemon=True).start()
    origin = f"http://127.0.0.1:{server.server_port}"
    page, ranges = f"{origin}/page/", f"{origin}/ranges/"
    check_page(browser, page, {"url": f"{ranges}{file.name}"})
    check_damaged(browser, page, url=f"{ranges}y.trv")
    if LARGE:
        (folder / "given.trv").symlink_to(LARGE)
    for name in ["large.trv", "given.trv"] if LARGE else ["large.trv"]:
        Files.sent = 0
        browser.open(f"{page}#{urllib.parse.urlencode({'url': f'{ranges}{name}'})}")
        browser.wait(FULL)
        size = (folder / name).stat().st_size
        assert Files.sent < 1_000_000 < size / 10, f"{Files.sent} of {size} bytes were sent for the first screen"
        print(f"{Files.sent} of {size} bytes were sent for the first screen of {name}")

    browser.open(page)
    browser.wait("document.getElementById('facts').textContent.startsWith('Drop')")
    for name, said in [("bad.trv", "malformed"), ("bad.parquet", "parquet"), (file.name, "")]:
        browser.choose_file("#file", folder / name)
        wanted = f"document.getElementById('error').textContent.includes({said!r})" if said else FULL
        browser.wait(wanted)
    assert browser.value(TABLE)[3][1] == "3"
    browser.choose_file("#other", folder / "z.trv")
    check_difference(browser)
    formats = check_formats(browser, page, folder)
    other = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Files)
    other.folder = folder
    threading.Thread(target=other.serve_forever, daemon=True).start()
    for url, said in [
        (f"{origin}/whole/{file.name}", "sends no ranges"),
        (f"http://127.0.0.1:{other.server_port}/ranges/{file.name}", "CORS"),
        (f"{ranges}missing.trv", "404"),
    ]:
        browser.open(f"{page}#{urllib.parse.urlencode({'url': url})}")
        browser.wait(f"document.getElementById('error').textContent.includes({said!r})")
    return formats


with tempfile.TemporaryDirectory() as folder, Browser(CHROMIUM) as browser:
    folder = pathlib.Path(folder)
    source, file = folder / "x.csv", folder / "x.trv"
    for name, other in [("x", 0.0), ("z", 7.5)]:
        with source.open("w") as out:
            out.write(f'n,"{HOSTILE}",t\n')
            out.writelines(
                f"{n},{other if n == 1_000_000 else n % 1000 / 8},text {n % 13} <b>\n" for n in range(ROWS)
            )
        trevni("convert", source, folder / f"{name}.trv", "--codec", "pack")
    damaged = bytearray(file.read_bytes())
    damaged[-500] ^= 1
    (folder / "y.trv").write_bytes(damaged)
    (folder / "bad.trv").write_bytes(b"Trv\x01 and so on")
    (folder / "bad.parquet").write_bytes(b"PAR1 and so on PAR1")
    browser.show(1280, 900)
    with Server(file) as address:
        check_page(browser, address, {})
    with Server(folder / "y.trv") as address:
        check_damaged(browser, address)
    with Server(file, folder / "z.trv") as address:
        browser.open(address)
        check_difference(browser)
    check_export(browser, folder, file)
    print("trevni view: rows, filters, values, faults and names that look like HTML are shown as they are")
    if STATIC:
        trevni("convert", source, folder / "large.trv", "--codec", "null")
        formats = check_static(browser, folder, file)
        print(f"the page without a server shows the same, of files and of URLs; dropped were {', '.join(formats)}")
