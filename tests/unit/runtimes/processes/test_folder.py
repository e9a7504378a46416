"""The folder of a worker."""

import asyncio
import fcntl
import os

import pytest

from bayplan.framework.errors import InputError
from bayplan.runtimes.processes.folder import WorkerFolder


def test_a_folder_has_one_worker_at_a_time(tmp_path):
    first = WorkerFolder(tmp_path / "w")

    with pytest.raises(InputError, match=rf"runs already \(process {os.getpid()}\)"):
        WorkerFolder(tmp_path / "w")
    first.close()

    WorkerFolder(tmp_path / "w").close()


def test_its_identity_stays(tmp_path):
    first = WorkerFolder(tmp_path / "w")
    identity = first.identity
    first.close()

    again, other = WorkerFolder(tmp_path / "w"), WorkerFolder(tmp_path / "v")

    assert again.identity == identity != other.identity
    again.close()
    other.close()


def test_an_identity_that_cannot_be_read_is_made_anew(tmp_path):
    folder = WorkerFolder(tmp_path)
    (tmp_path / "worker.json").write_text("{")

    assert folder.identity == folder.identity
    folder.close()


def test_replicas_of_an_earlier_worker_are_waited_for(tmp_path):
    async def waiting():
        folder = WorkerFolder(tmp_path)
        lock = os.open(tmp_path / "replicas.lock", os.O_RDWR | os.O_CREAT)
        fcntl.flock(lock, fcntl.LOCK_SH)  # as a supervisor holds it
        task = asyncio.create_task(folder.replicas_ended())
        done, _ = await asyncio.wait([task], timeout=0.3)
        assert not done
        os.close(lock)
        await task
        folder.close()

    asyncio.run(waiting())


def test_what_pods_left_behind_is_swept(tmp_path):
    folder = WorkerFolder(tmp_path)
    for uid in ("a", "b", "c"):
        (tmp_path / "pods" / uid / "c").mkdir(parents=True)

    folder.sweep({"a", "b"})
    folder.forget("b")
    folder.forget("never")

    assert [each.name for each in (tmp_path / "pods").iterdir()] == ["a"]
    folder.close()
