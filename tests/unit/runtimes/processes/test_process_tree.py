"""Processes below another."""

import os
import subprocess
import time

from bayplan.runtimes.processes.process_tree import below, signal_group


def test_children_and_grandchildren_are_found():
    with subprocess.Popen(["/bin/sh", "-c", "sh -c 'sleep 100; true' & wait"], start_new_session=True) as process:
        try:
            end = time.monotonic() + 60
            while len(found := below(process.pid)) < 2 and time.monotonic() < end:
                time.sleep(0.02)
            assert len(found) == 2
            assert set(found) < set(below(os.getpid()))
        finally:
            signal_group(process.pid, 9)


def test_what_is_gone_is_no_error():
    with subprocess.Popen(["/bin/true"], start_new_session=True) as process:
        process.wait()

    signal_group(process.pid, 9)
    assert below(process.pid) == []
