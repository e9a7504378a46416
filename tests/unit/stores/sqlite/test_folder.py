import errno
import os
import re
import subprocess
import sys
from contextlib import contextmanager

import pytest

from bayplan.control.store_errors import StoreFailedError
from bayplan.stores.sqlite.folder import DataFolder, InUseError, holder_of
from bayplan.stores.sqlite.sqlite_shelf import SqliteShelf

HOLD = """
import sys
from pathlib import Path
from bayplan.stores.sqlite.folder import DataFolder
folder = DataFolder(Path(sys.argv[1]), clock=lambda: 0.0)
print("held", flush=True)
sys.stdin.read()
"""


@contextmanager
def another_process(folder):
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "held\n"
        try:
            yield process
        finally:
            process.kill()


def test_a_second_process_is_told_who_holds_the_folder(tmp_path):
    with another_process(tmp_path) as process, pytest.raises(InUseError) as caught:
        SqliteShelf(tmp_path)

    assert f"in use by process {process.pid} since 1970-01-01T00:00:00Z" in str(caught.value)
    assert not (tmp_path / "bayplan.db").exists()


def test_the_lock_ends_with_its_process(tmp_path):
    with another_process(tmp_path):
        pass

    DataFolder(tmp_path).release()


def test_a_folder_can_be_taken_again_after_its_release(tmp_path):
    DataFolder(tmp_path).release()
    second = DataFolder(tmp_path)

    assert holder_of(tmp_path)["pid"] == os.getpid()
    second.release()


def test_a_signature_that_cannot_be_read_is_no_error(tmp_path):
    first = DataFolder(tmp_path)
    (tmp_path / "lock").write_text("{", encoding="utf-8")
    with pytest.raises(InUseError, match="in use by another process"):
        DataFolder(tmp_path)
    first.release()


def test_the_folder_is_made_and_private(tmp_path):
    folder = DataFolder(tmp_path / "a" / "b")
    folder.release()

    assert (tmp_path / "a" / "b").stat().st_mode & 0o777 == 0o700


@contextmanager
def not_root():
    """As a user for whom permissions count."""
    was = os.geteuid()
    if was == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(was)


def test_a_folder_that_cannot_be_written(tmp_path):
    for each in (tmp_path, *tmp_path.parents[:2]):
        each.chmod(each.stat().st_mode | 0o055)
    closed = tmp_path / "closed"
    closed.mkdir()
    closed.chmod(0o555)
    with not_root(), pytest.raises(StoreFailedError) as caught:
        SqliteShelf(closed)

    assert re.search(r"is not accessible for this user; make the folder writable", str(caught.value))


def test_a_file_in_place_of_the_folder(tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(StoreFailedError, match="is no folder"):
        DataFolder(tmp_path / "file")


def test_a_file_system_without_locks(tmp_path, monkeypatch):
    def no_locks(*_):
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr("fcntl.flock", no_locks)
    with pytest.raises(StoreFailedError, match=r"lock: cannot be used \(No locks available\)"):
        DataFolder(tmp_path)
