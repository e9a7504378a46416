"""A process that has loaded Bayplan and forks a `bayplan up` whenever it is told to: a start without the imports.

It reads one order a line, `{args, failpoint, later, out, err}`, answers `began PID`, and when that process has ended
`ended STATUS`. SIGUSR1 arms the failpoint `later`, whose passes are counted from that moment on.
"""

import ctypes
import gc
import json
import os
import signal
import sys

import uvicorn.protocols.http.httptools_impl

import bayplan.cli.up
from bayplan.cli.app import build
from bayplan.cli.main import run
from bayplan.control import failpoints

_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG
_LOADED = (uvicorn.protocols.http.httptools_impl, bayplan.cli.up, build)  # what a server would import by itself


def die_with_parent():
    """A test that is killed leaves no servers behind."""
    ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)


def arm(failpoint):
    os.environ[failpoints.VARIABLE] = failpoint
    failpoints.armed.cache_clear()


def serve(order):
    """What the new process does; it never returns."""
    die_with_parent()
    for name, number in (("out", 1), ("err", 2)):
        file = os.open(order[name], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(file, number)
        os.close(file)
    arm(order["failpoint"])
    signal.signal(signal.SIGUSR1, lambda *_: arm(order["later"]))
    status = 1
    try:
        status = run(order["args"])
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def main():
    die_with_parent()
    gc.freeze()
    for line in sys.stdin:
        child = os.fork()
        if not child:
            serve(json.loads(line))
        print(f"began {child}", flush=True)
        _, status = os.waitpid(child, 0)
        print(f"ended {os.waitstatus_to_exitcode(status)}", flush=True)


if __name__ == "__main__":
    main()
