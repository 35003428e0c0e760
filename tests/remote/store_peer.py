"""The other side of peers.sh: a store that speaks S3, plain HTTP without ranges, and a client that is not ours.

    store_peer.py serve PORTS     moto's S3, and two servers of the folder PORTS/.. by HTTP, without ranges and with them;
                                  their ports are written to PORTS
    store_peer.py bucket NAME     makes a bucket
    store_peer.py get NAME KEY    prints an object, by boto3
    store_peer.py keys NAME PREFIX  prints the keys that begin so
    store_peer.py left NAME       prints uploads that were begun and never ended
"""

import functools
import http.server
import os
import re
import sys
import threading


def serve(ports):
    from moto.server import ThreadedMotoServer

    s3 = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    s3.start()
    found = [s3.get_host_and_port()[1]]
    for kind in (Plain, Ranged):
        handler = functools.partial(kind, directory=os.path.dirname(ports))
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        found.append(server.server_address[1])
    with open(ports + ".new", "w") as out:
        print(*found, file=out)
    os.rename(ports + ".new", ports)
    threading.Event().wait()


class Plain(http.server.SimpleHTTPRequestHandler):
    """Gives whole files only, whatever is asked."""

    def log_message(self, *_):
        pass


class Ranged(Plain):
    """Gives parts too, and says so. Its requests and the bytes that they were given are lines of `requests`."""

    def do_GET(self):
        asked = re.fullmatch(r"bytes=(\d*)-(\d+)", self.headers.get("Range", ""))
        with open(self.translate_path(self.path), "rb") as file:
            body = file.read()
        size = len(body)
        self.send_response(206 if asked else 200)
        if asked:
            if asked[1]:
                first, last = int(asked[1]), min(int(asked[2]), size - 1)
            else:
                first, last = max(size - int(asked[2]), 0), size - 1
            body = body[first : last + 1]
            self.send_header("Content-Range", f"bytes {first}-{last}/{size}")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Last-Modified", self.date_time_string())
        self.end_headers()
        self.wfile.write(body)
        with open(os.path.join(self.directory, "requests"), "a") as log:
            print(len(body), file=log)


def client():
    import boto3

    return boto3.client("s3", endpoint_url=os.environ["AWS_ENDPOINT"])


def main(what, *args):
    if what == "serve":
        serve(*args)
    elif what == "bucket":
        client().create_bucket(Bucket=args[0])
    elif what == "get":
        body = client().get_object(Bucket=args[0], Key=args[1])["Body"]
        sys.stdout.buffer.write(body.read())
    elif what == "keys":
        for object in client().list_objects_v2(Bucket=args[0], Prefix=args[1]).get("Contents", []):
            print(object["Key"])
    elif what == "left":
        for upload in client().list_multipart_uploads(Bucket=args[0]).get("Uploads", []):
            print(upload["Key"])
    else:
        raise SystemExit(__doc__)


main(*sys.argv[1:])
