"""The other side of peers.sh: a store that speaks S3, plain HTTP without ranges, and a client that is not ours.

    store_peer.py serve PORTS     moto's S3 and a plain server of the folder PORTS/.. ; their ports are written to PORTS
    store_peer.py bucket NAME     makes a bucket
    store_peer.py get NAME KEY    prints an object, by boto3
    store_peer.py left NAME       prints uploads that were begun and never ended
"""

import http.server
import os
import sys
import threading


def serve(ports):
    from moto.server import ThreadedMotoServer

    s3 = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    s3.start()
    folder = os.path.dirname(ports)
    handler = lambda *args: Plain(*args, directory=folder)
    plain = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=plain.serve_forever, daemon=True).start()
    with open(ports + ".new", "w") as out:
        out.write(f"{s3.get_host_and_port()[1]} {plain.server_address[1]}\n")
    os.rename(ports + ".new", ports)
    threading.Event().wait()


class Plain(http.server.SimpleHTTPRequestHandler):
    """Gives whole files only, whatever is asked."""

    def log_message(self, *_):
        pass


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
    elif what == "left":
        for upload in client().list_multipart_uploads(Bucket=args[0]).get("Uploads", []):
            print(upload["Key"])
    else:
        raise SystemExit(__doc__)


main(*sys.argv[1:])
