"""`bayplan up` on broken folders and full disks: place, problem and next step; nothing that was accepted is lost."""

import ctypes
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bayplan_up import LONGEST_S, RunningServer, environment

MAPS = "/api/v1/namespaces/default/configmaps"


def refused(data, *flags, before=None):
    """What a start says that must fail."""
    command = [sys.executable, "-m", "bayplan", "up", "--data", str(data), "--port", "0", *flags]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=LONGEST_S, env=environment(), check=False, preexec_fn=before
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert "Traceback" not in done.stderr
    return " ".join(done.stderr.split())


def written(server, count, size=100):
    """Create that many objects; the names that were accepted, and the first refusal."""
    accepted, refusal = [], None
    for number in range(count):
        answer = server.ask("POST", MAPS, {"metadata": {"name": f"m{number}"}, "data": {"text": "x" * size}})
        if answer.code == 201:
            accepted.append(f"m{number}")
        else:
            refusal = refusal or answer
    return accepted, refusal


def stored(server):
    code, text = server.request("GET", MAPS)
    assert code == 200
    return [each["metadata"]["name"] for each in json.loads(text)["items"] if each["metadata"]["name"][0] == "m"]


@pytest.fixture
def filled(tmp_path):
    """The data folder of a server that was stopped."""
    with RunningServer(tmp_path / "data", "--insecure-http") as server:
        assert len(written(server, 30)[0]) == 30
    return tmp_path / "data"


def test_a_data_folder_that_became_read_only(filled):
    before = {each.name: each.read_bytes() for each in filled.iterdir() if each.is_file()}
    for each in (*filled.iterdir(), filled):
        each.chmod(0o555 if each.is_dir() else 0o444)
    said = refused(filled, before=_obeys_modes)
    for each in (filled, *filled.iterdir()):
        each.chmod(0o700 if each.is_dir() else 0o600)

    assert said == f"error: {filled}: is not accessible for this user; make the folder writable for this user"
    assert {each.name: each.read_bytes() for each in filled.iterdir() if each.is_file()} == before
    with RunningServer(filled, "--insecure-http") as server:
        assert len(stored(server)) == 30


def _obeys_modes():
    """The next program is bound by the modes of files, also that of the superuser."""
    drop_of_bounding_set, dac_override = 24, 1
    ctypes.CDLL(None).prctl(drop_of_bounding_set, dac_override, 0, 0, 0)


DAMAGE = {
    "cut off": lambda file: os.truncate(file, 4096 * 3 + 100),
    "empty": lambda file: os.truncate(file, 0),
    "another file": lambda file: file.write_text("hello " * 1000),
}


@pytest.mark.parametrize("spoil", DAMAGE.values(), ids=DAMAGE)
def test_a_torn_file_is_told_and_left_alone(filled, spoil):
    file = filled / "bayplan.db"
    spoil(file)
    torn = file.read_bytes()
    said = refused(filled)

    assert said.startswith(f"error: {file}: ")
    assert said.endswith("run `bayplan doctor`, or restore a backup with `bayplan restore`")
    assert file.read_bytes() == torn


def test_a_log_that_was_cut_off_loses_only_what_came_last(tmp_path):
    """As after a crash: the log is longer than what reached the disk."""
    with RunningServer(tmp_path / "data", "--insecure-http") as server:
        written(server, 30)
        shutil.copytree(tmp_path / "data", tmp_path / "copy")
    log = tmp_path / "copy" / "bayplan.db-wal"
    os.truncate(log, log.stat().st_size - 100)
    with RunningServer(tmp_path / "copy", "--insecure-http") as server:
        found = stored(server)

    assert set(found) <= {f"m{number}" for number in range(30)}
    assert len(found) >= 29


def test_records_that_are_torn_hold_nothing_up(filled):
    for each in filled.glob("records.db*"):
        each.unlink()
    (filled / "records.db").write_text("hello " * 1000)
    with RunningServer(filled, "--insecure-http") as server:
        assert len(stored(server)) == 30
        assert server.ask("GET", "/v1/records").code == 200
        assert server.stop() == 0


def test_certificates_that_are_torn(tmp_path):
    data = tmp_path / "data"
    with RunningServer(data) as server:
        written(server, 3)
    (data / "tls" / "server.key").write_text("-----BEGIN")
    with RunningServer(data) as server:
        assert len(stored(server)) == 3
    (data / "tls" / "server.crt").write_bytes((data / "tls" / "ca.crt").read_bytes()[:100])
    (data / "tls" / "ca.key").write_text("-----BEGIN")

    assert refused(data) == (
        f"error: {data / 'tls' / 'ca.key'}: the certificate or key cannot be read; put it back, or remove the folder"
        f" {data / 'tls'}: then new certificates are made"
    )


def test_a_small_file_that_cannot_be_written(filled):
    (filled / "kubeconfig").unlink()
    (filled / "kubeconfig.part").mkdir()
    said = refused(filled, "--insecure-http")

    assert said.startswith(f"error: {filled / 'kubeconfig.part'}: ")
    with RunningServer(_without(filled, "kubeconfig.part"), "--insecure-http") as server:
        assert len(stored(server)) == 30


def _without(folder, name):
    (folder / name).rmdir()
    return folder


def test_files_that_may_not_grow(tmp_path):
    """A limit on the size of files, as of a quota: the server says so, and what it had accepted is there afterwards."""
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (2**20, 2**20))"
    data = tmp_path / "data"
    with RunningServer(data, "--insecure-http", before=limit) as server:
        accepted, refusal = written(server, 60, 50_000)
        assert stored(server) == sorted(accepted)
        assert 0 < len(accepted) < 60
        assert refusal.code >= 500
        assert refusal.document["message"].startswith(f"{data / 'bayplan.db'}: ")
        assert server.stop() == 0
        assert server.errors().count("ERROR") == 1
    with RunningServer(data, "--insecure-http") as server:
        assert stored(server) == sorted(accepted)
        assert len(written(server, 100)[0]) == 100 - len(accepted)


MOUNT = 'mount -t tmpfs -o size=2m,mode=700 bayplan "$0" && exec "$@"'


def in_small_disk(folder, *command):
    """A command in a mount namespace of its own, in which the folder is a file system of 2 MiB."""
    return ["unshare", "--map-root-user", "--mount", "sh", "-c", MOUNT, str(folder), *command]


@pytest.fixture
def small_disk(tmp_path):
    """A folder to be mounted over; skipped where the kernel lets nobody do that."""
    folder = tmp_path / "disk"
    folder.mkdir()
    tried = shutil.which("unshare") and subprocess.run(in_small_disk(folder, "true"), capture_output=True, check=False)
    if not tried or tried.returncode:
        pytest.skip("no mount namespaces here")
    return folder


class SmallServer(RunningServer):
    """A server whose data are on a small disk; from outside the disk is seen through the process."""

    def __init__(self, disk):
        super().__init__(disk / "data", "--insecure-http")
        self._disk = disk

    def command(self):
        return in_small_disk(self._disk, *super().command())

    def errors_file(self):
        return self._disk.parent / "stderr"

    @property
    def inside(self):
        return Path(f"/proc/{self.process.pid}/root{self._disk}")


def test_a_full_disk(small_disk):
    with SmallServer(small_disk) as server:
        (server.inside / "other").write_bytes(bytes(1_000_000))
        accepted, refusal = written(server, 40, 50_000)
        assert 0 < len(accepted) < 40
        assert refusal.code == 507
        assert refusal.document["message"].startswith(f"{server.data / 'bayplan.db'}: the disk is full")
        assert "free some space" in refusal.document["message"]
        assert stored(server) == sorted(accepted)
        assert server.ask("GET", "/v1/doctor").document["store"] == {"ok": True, "problems": []}

        (server.inside / "other").unlink()
        more, _ = written(server, 40)
        assert stored(server) == sorted([*accepted, *more])
        assert len(accepted) + len(more) == 40
        lines = [each for each in server.errors().splitlines() if "bayplan.db" in each]
        assert ["the disk is full" in lines[0], "writes are kept again" in lines[-1]] == [True, True]


def test_a_start_on_a_full_disk(small_disk):
    fill = ["sh", "-c", f'head -c 3000000 /dev/zero > {small_disk}/other 2>/dev/null; exec "$@"', "x"]
    command = [sys.executable, "-m", "bayplan", "up", "--data", str(small_disk / "data"), "--port", "0"]
    done = subprocess.run(
        in_small_disk(small_disk, *fill, *command),
        capture_output=True, text=True, timeout=LONGEST_S, env=environment(), check=False,
    )  # fmt: skip

    assert done.returncode == 1
    assert " ".join(done.stderr.split()).startswith(f"error: {small_disk / 'data'}")
    assert "the disk is full; free some space" in " ".join(done.stderr.split())
