import fcntl
import os

import pytest

from bayplan.cli.demo.local_worker import LocalWorker, LocalWorkerError


def _lock(worker, text):
    worker.folder.mkdir(parents=True)
    lock = os.open(worker.folder / "worker.lock", os.O_RDWR | os.O_CREAT)
    os.pwrite(lock, text, 0)
    return lock


def test_a_folder_that_nobody_holds_has_no_process(tmp_path):
    worker = LocalWorker(tmp_path)
    assert worker.pid() is None

    os.close(_lock(worker, b"4711"))

    assert worker.pid() is None


def test_who_holds_the_folder_is_the_worker_and_no_second_one_is_started(tmp_path):
    worker = LocalWorker(tmp_path)
    lock = _lock(worker, b"4711")
    fcntl.flock(lock, fcntl.LOCK_EX)

    assert worker.pid() == 4711
    worker.start()
    worker.check()
    assert not worker.log.exists()

    os.close(lock)


def test_a_worker_that_ends_at_once_is_told_with_its_log(tmp_path):
    worker = LocalWorker(tmp_path)
    worker.start()
    worker._child.wait()  # there is no server in this folder

    with pytest.raises(LocalWorkerError, match=r"worker local: ended with 1; see .*local\.log"):
        worker.check()
    assert "error:" in worker.log.read_text()
    worker.stop()


def test_a_folder_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "workers").write_text("in the way")

    with pytest.raises(LocalWorkerError, match="cannot be started"):
        LocalWorker(tmp_path).start()
