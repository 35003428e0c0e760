"""Files and data sets in object stores, and behind web servers."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pyarrow as pa
import pytest
from conftest import SELECTED
from moto.server import ThreadedMotoServer

import trevni
import trevni.blosc

ROWS = 500_000


@pytest.fixture(scope="module")
def table() -> pa.Table:
    return pa.table({"id": pa.array(range(ROWS)), "value": pa.array([i * i * 7919 % 499_979 for i in range(ROWS)])})


@pytest.fixture(scope="module")
def options() -> Iterator[dict[str, str]]:
    server = ThreadedMotoServer(port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    keys = {"aws_access_key_id": "a", "aws_secret_access_key": "b"}
    endpoint = f"http://{host}:{port}"
    boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1", **keys).create_bucket(Bucket="bucket")
    yield {"aws_endpoint": endpoint, "aws_region": "us-east-1", "aws_allow_http": "true", **keys}
    server.stop()


def test_files_in_a_store(table: pa.Table, options: dict[str, str]) -> None:
    url = "s3://bucket/folder/a.trv"
    size = trevni.write_table(table, url, "pack", storage_options=options)
    file = trevni.open(url, storage_options=options)
    assert (file.num_rows, file.nbytes) == (ROWS, size)
    assert file.to_arrow().equals(table)
    found = file.scan(["value"], "id = 400000").read_all().to_arrow()
    assert found["value"].to_pylist() == [400_000 * 400_000 * 7919 % 499_979]
    assert file.take([5, 3]).to_arrow()["id"].to_pylist() == [5, 3]
    statistics = file.statistics("id")
    assert statistics is not None and (statistics.min, statistics.max) == (0, ROWS - 1)
    assert trevni.verify(url, storage_options=options)
    with pytest.raises(KeyError), trevni.Writer("s3://bucket/b.trv", table.schema, storage_options=options) as writer:
        writer.write(table)
        raise KeyError
    with pytest.raises(FileNotFoundError):
        trevni.open("s3://bucket/b.trv", storage_options=options)


def test_data_sets_in_a_store(table: pa.Table, options: dict[str, str]) -> None:
    url = "s3://bucket/set"
    rows = trevni.write_dataset(table, url, codec="pack", file_rows=200_000, storage_options=options)
    assert (rows.num_rows, len(rows.files), rows.commit) == (ROWS, 3, 1)
    rows = rows.append(table.slice(0, 10))
    assert rows.num_rows == ROWS + 10
    assert len(rows.scan(["id"], "id < 5").read_all()) == 10
    assert rows.scan(where="id >= 0").read_all().num_rows == ROWS + 10


class Handler(http.server.BaseHTTPRequestHandler):
    """Serves ranges of files, and counts their bytes."""

    files: dict[str, bytes] = {}
    count = 0

    def do_HEAD(self) -> None:
        self.answer(False)

    def do_GET(self) -> None:
        self.answer(True)

    def answer(self, has_body: bool) -> None:
        data = self.files.get(self.path)
        if data is None:
            self.send_error(404)
            return
        start, end = 0, len(data)
        if wanted := self.headers.get("Range"):
            first, last = wanted.removeprefix("bytes=").split("-")
            start, end = (int(first), int(last) + 1) if first else (len(data) - int(last), len(data))
        self.send_response(206 if wanted else 200)
        self.send_header("Content-Length", str(min(end, len(data)) - start))
        self.send_header("Content-Range", f"bytes {start}-{min(end, len(data)) - 1}/{len(data)}")
        self.send_header("Last-Modified", "Thu, 01 Jan 2026 00:00:00 GMT")
        self.end_headers()
        if has_body:
            self.wfile.write(data[start:end])
            Handler.count += min(end, len(data)) - start

    def log_message(self, *_: Any) -> None:
        pass


def test_files_behind_a_web_server(table: pa.Table, tmp_path: Path) -> None:
    trevni.write_table(table, tmp_path / "a.trv", "pack")
    data = (tmp_path / "a.trv").read_bytes()
    blosc = next((SELECTED / "blosc" / "bloscpack").glob("*.blp")).read_bytes()
    Handler.files = {"/a.trv": data, "/a.blp": blosc}
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{server.server_port}"
    file = trevni.open(f"{base}/a.trv")
    assert len(file.scan(["id"], "id = 7").read_all()) == 1
    assert Handler.count < len(data) / 2
    assert file.to_arrow().equals(table)
    assert trevni.blosc.open(f"{base}/a.blp").kind == "bloscpack"
    with pytest.raises(FileNotFoundError):
        trevni.open(f"{base}/nope.trv")
    server.shutdown()
