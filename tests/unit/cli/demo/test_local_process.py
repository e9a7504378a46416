import fcntl
import os
import subprocess
import sys

import pytest

from bayplan.cli.demo.local_process import LocalProcess, LocalProcessError

SLEEPER = ["-c", "import time; print('up', flush=True); time.sleep(60)"]
STUBBORN = [
    "-c",
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(60)",
]


class Quick(LocalProcess):
    stop_s = 0.2


def held_by(program, lock):
    """A process of its own that holds a lock, as one of an earlier server does."""
    lock.parent.mkdir(exist_ok=True)
    number = os.open(lock, os.O_RDWR | os.O_CREAT)
    fcntl.flock(number, fcntl.LOCK_EX)
    process = subprocess.Popen([sys.executable, *program], stdout=subprocess.PIPE, pass_fds=(number,))
    os.pwrite(number, str(process.pid).encode(), 0)
    os.close(number)
    process.stdout.readline()
    return process


@pytest.mark.parametrize("program", [SLEEPER, STUBBORN], ids=["one that ends when asked", "one that has to be killed"])
def test_one_of_an_earlier_server_is_found_and_stopped(tmp_path, program):
    process = Quick("thing", tmp_path / "lock", tmp_path / "log")
    with held_by(program, tmp_path / "lock") as earlier:
        assert process.pid() == earlier.pid

        process.stop()

        assert earlier.wait(10) < 0
    assert process.pid() is None


def test_one_that_ends_is_told_with_its_log(tmp_path):
    process = LocalProcess("thing", tmp_path / "lock", tmp_path / "log")
    process.launch(["no-such-command"])
    process._child.wait()

    with pytest.raises(LocalProcessError, match=r"thing: ended with 1; see .*log"):
        process.check()
    assert "no-such-command" in process.log.read_text()
    process.stop()


def test_an_inherited_lock_lives_as_long_as_the_process(tmp_path):
    process = LocalProcess("thing", tmp_path / "lock", tmp_path / "log")
    lock = os.open(tmp_path / "lock", os.O_RDWR | os.O_CREAT)
    fcntl.flock(lock, fcntl.LOCK_EX)
    pid = process.launch(["engine", "--port", "0"], held=lock)
    os.pwrite(lock, str(pid).encode(), 0)
    os.close(lock)

    assert process.pid() == pid
    process.stop()
    assert process.pid() is None


def test_what_does_not_run_needs_no_stop(tmp_path):
    process = LocalProcess("thing", tmp_path / "lock", tmp_path / "log")

    assert process.terminate() is None
    process.check()
    process.stop()
