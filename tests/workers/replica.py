"""A replica of tests: it serves /health on its port, 503 until a file appears, and writes what it knows to its log."""

import http.server
import json
import os
import signal
import sys
from pathlib import Path

PORT = int(os.environ["BAYPLAN_PORT"])
LOADED = Path("loaded")


class Health(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if LOADED.exists() else 503)
        self.end_headers()

    def log_message(self, *_):
        pass


def leave(*_):
    print("leaving", flush=True)
    sys.exit(0)


signal.signal(signal.SIGTERM, leave)
known = {"arguments": sys.argv[1:], "environment": dict(os.environ), "folder": str(Path.cwd())}
print(json.dumps(known), flush=True)
http.server.HTTPServer(("127.0.0.1", PORT), Health).serve_forever()
