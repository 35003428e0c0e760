"""Opens the page of `trevni view` in a browser: scrolls, filters, verifies, and shows values that look like HTML.

view.py TREVNI CHROMIUM
"""

import html
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import urllib.parse

TREVNI, CHROMIUM = sys.argv[1], sys.argv[2]
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--virtual-time-budget=20000"]
ROWS = 1_200_000
HOSTILE = "<img src=x onerror=document.title='owned'><script>document.title='owned'</script>"


def trevni(*args):
    subprocess.run([TREVNI, *map(str, args)], check=True, stderr=subprocess.DEVNULL)


def browser(address, width, *flags):
    """Runs the browser; gives the document. Nothing may be on the console."""
    flags = [*FLAGS, f"--window-size={width},1400", "--enable-logging=stderr", *flags]
    done = subprocess.run([CHROMIUM, *flags, address], check=True, capture_output=True, text=True, timeout=120)
    console = [line for line in done.stderr.splitlines() if ":CONSOLE" in line]
    assert console == [], console
    return done.stdout


class Page:
    """A server of a file, and what a browser shows of it."""

    def __init__(self, path):
        self.process = subprocess.Popen([TREVNI, "view", "--no-browser", str(path)], stdout=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().strip()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def shown(self, **kept):
        """The document, where the page starts with this in its address."""
        return browser(f"{self.address}#{urllib.parse.urlencode(kept)}", 1200, "--dump-dom")

    def picture(self, width, dark):
        """A screenshot."""
        with tempfile.NamedTemporaryFile(suffix=".png") as image:
            scheme = f"--blink-settings=preferredColorScheme={0 if dark else 1}"
            browser(self.address, width, scheme, f"--screenshot={image.name}")
            pixels = pathlib.Path(image.name).read_bytes()
        assert struct.unpack(">II", pixels[16:24]) == (width, 1400), "the size of the screenshot"
        assert len(pixels) > 10_000, "the page is blank"
        return pixels


def rows(document):
    """The rows of the table: numbers and texts."""
    body = re.search(r"<tbody>(.*?)</tbody>", document, re.DOTALL).group(1)
    lines = re.findall(r"<tr>(.*?)</tr>", body, re.DOTALL)
    return [[html.unescape(cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", line)] for line in lines]


def text(document, name):
    """The text of an element."""
    found = re.search(rf'id="{name}"[^>]*>(.*?)</(?:p|h1|ul|output)>', document, re.DOTALL).group(1)
    return html.unescape(re.sub(r"<[^>]*>", " ", found)).strip()


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    source, file = folder / "x.csv", folder / "x.trv"
    with source.open("w") as out:
        out.write(f'n,"{HOSTILE}",t\n')
        out.writelines(f"{n},{n % 1000 / 8},text {n % 13} <b>\n" for n in range(ROWS))
    trevni("convert", source, file, "--codec", "pack")

    with Page(file) as page:
        first = page.shown()
        assert text(first, "facts").startswith("trv, 1,200,000 rows, 3 columns"), text(first, "facts")
        assert rows(first)[7] == ["7", "7", "0.875", "text 7 <b>"], rows(first)[7]
        assert "<title>owned" not in first and HOSTILE not in first and html.escape(HOSTILE, quote=False) in first
        far = rows(page.shown(row=1_000_000))
        assert far[0] == ["1,000,000", "1000000", "0.0", "text 1 <b>"], far[0]
        assert len(far) < 60, "only rows in view are in the document"
        filtered = page.shown(where="n >= 700000 and t = 'text 3 <b>'")
        assert text(filtered, "shown").endswith(" of 38,462"), text(filtered, "shown")
        assert all(row[3] == "text 3 <b>" and int(row[1]) >= 700_000 for row in rows(filtered))
        wrong = page.shown(where="n >> 1")
        assert "expected a literal or a column" in text(wrong, "error")
        values = page.shown(values="t")
        assert "text 12 <b>" in text(values, "values-title") + html.unescape(values)
        good = page.shown(verify=1)
        assert text(good, "verdict").startswith("No faults"), text(good, "verdict")
        pictures = [page.picture(width, dark) for width in (600, 1200, 3840) for dark in (False, True)]
        assert len(set(pictures)) == len(pictures), "light and dark are the same"

    damaged = bytearray(file.read_bytes())
    damaged[-500] ^= 1
    (folder / "y.trv").write_bytes(damaged)
    with Page(folder / "y.trv") as page:
        faults = text(page.shown(verify=1), "faults")
        assert "column" in faults and "block" in faults and "offset" in faults, faults

print("trevni view: rows, filters, values, faults and names that look like HTML are shown as they are")
