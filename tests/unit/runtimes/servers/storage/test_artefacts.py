"""Files of models are brought whole or not at all."""

import os

import pytest

from bayplan.runtimes.servers.bookings import Booking, Wish
from bayplan.runtimes.servers.load_errors import FinalLoadError, LoadError
from bayplan.runtimes.servers.storage.artefacts import bring

RCLONE = """#!/bin/sh
[ "$1" = listremotes ] && echo "shop:" && exit
case "$4" in *missing*) echo "NOTICE: nothing" >&2; echo "directory not found" >&2; exit 3;; *empty*) exit 0;; esac
echo "$4" > "$5/source"
"""


@pytest.fixture
def stored(tmp_path):
    folder = tmp_path / "store" / "iris"
    (folder / "7").mkdir(parents=True)
    (folder / "model.bin").write_text("all")
    (folder / "7" / "model.bin").write_text("seven")
    (folder / "config.pbtxt").write_text("")
    (tmp_path / "models").mkdir()
    return folder


def brought(tmp_path, uri, **booking):
    folder = tmp_path / "models" / "iris_1"
    answer = bring(Booking("iris_1", Wish.SERVED, storage_uri=str(uri), **booking), folder, lambda part: 3)
    assert answer == 3
    assert [each.name for each in folder.parent.iterdir()] == ["iris_1"]
    return {str(each.relative_to(folder)): each.read_text() for each in folder.rglob("*") if each.is_file()}


WHOLE = {"model.bin": "all", "7/model.bin": "seven", "config.pbtxt": ""}
FOUND = {
    "a path": ("{folder}", {}, WHOLE),
    "a URI": ("file://{folder}", {}, WHOLE),
    "one file": ("{folder}/model.bin", {}, {"model.bin": "all"}),
    "a version, with Triton's configuration": (
        "{folder}", {"artifact_version": "7"}, {"model.bin": "seven", "config.pbtxt": ""},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("uri", "booking", "expected"), FOUND.values(), ids=FOUND)
def test_local_files(tmp_path, stored, uri, booking, expected):
    assert brought(tmp_path, uri.format(folder=stored), **booking) == expected


REFUSED = {
    "no URI": ("", {}, "names no storageUri"),
    "a folder that is not there": ("file:///nowhere/iris", {}, "there is no file or folder /nowhere/iris"),
    "a path that depends on who reads it": ("models/iris", {}, "is no absolute path"),
    "a file of another machine": ("file://box/models", {}, "names the machine 'box'"),
    "a version that is not there": ("{folder}", {"artifact_version": "8"}, "no folder '8' for artifactVersion.*: 7"),
    "a store without rclone": ("gs://bucket/iris", {}, "needs the program rclone.*install rclone"),
}


@pytest.mark.parametrize(("uri", "booking", "message"), REFUSED.values(), ids=REFUSED)
def test_refused(tmp_path, stored, monkeypatch, uri, booking, message):
    monkeypatch.setenv("PATH", "")

    with pytest.raises(FinalLoadError, match=message):
        brought(tmp_path, uri.format(folder=stored), **booking)
    assert list((tmp_path / "models").iterdir()) == []


def test_a_failure_leaves_the_old_files(tmp_path, stored):
    brought(tmp_path, stored)

    def fails(part):
        raise FinalLoadError("no")

    with pytest.raises(FinalLoadError):
        bring(Booking("iris_1", Wish.SERVED, storage_uri=str(stored)), tmp_path / "models" / "iris_1", fails)
    assert (tmp_path / "models" / "iris_1" / "model.bin").read_text() == "all"


@pytest.fixture
def rclone(tmp_path, monkeypatch):
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "rclone"
    program.write_text(RCLONE)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")


COPIED = {
    "a public bucket": ("gs://bucket/iris/", {}, ":gcs,anonymous:bucket/iris"),
    "a version": ("s3://bucket/iris", {"artifact_version": "2"}, ":s3,provider=AWS,env_auth:bucket/iris/2"),
    "a remote that is configured": ("shop://bucket/iris", {}, "shop:bucket/iris"),
    "the web": ("https://example.com/a/b", {}, ":http,url='https://example.com':a/b"),
}


@pytest.mark.parametrize(("uri", "booking", "source"), COPIED.values(), ids=COPIED)
def test_rclone_copies(tmp_path, stored, rclone, uri, booking, source):
    assert brought(tmp_path, uri, **booking) == {"source": f"{source}\n"}


NOT_COPIED = {
    "a remote that is not known": ("ftp://x/y", {}, "rclone has no remote 'ftp'"),
    "a secret": ("gs://bucket/iris", {"secret": "keys"}, "do not read secretName .keys."),
    "nothing there": ("gs://bucket/empty", {}, "there are no files"),
    "an error of rclone": ("gs://bucket/missing", {}, "rclone cannot copy it: directory not found"),
}


@pytest.mark.parametrize(("uri", "booking", "message"), NOT_COPIED.values(), ids=NOT_COPIED)
def test_rclone_refuses(tmp_path, stored, rclone, uri, booking, message):
    with pytest.raises(LoadError, match=message):
        brought(tmp_path, uri, **booking)
