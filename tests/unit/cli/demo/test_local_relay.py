import fcntl
import os
import socket
import threading

import pytest

from bayplan.cli.demo.local_relay import LocalRelay, LocalRelayError, _free

LONGEST_S = 30


def test_a_port_that_is_taken_becomes_a_free_one():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert _free(port) == 0

    assert _free(port) == port


def test_who_holds_the_folder_is_the_relay_and_no_second_one_is_started(tmp_path):
    relay = LocalRelay(tmp_path)
    relay.folder.path.mkdir()
    relay.folder.printed.write_text("admin http://127.0.0.1:1\nready http://127.0.0.1:2\n")
    lock = os.open(relay.folder.lock, os.O_RDWR | os.O_CREAT)
    os.pwrite(lock, b"4711", 0)
    fcntl.flock(lock, fcntl.LOCK_EX)

    relay.start()

    assert relay.pid() == 4711
    assert relay.await_url(LONGEST_S, threading.Event()) == "http://127.0.0.1:2"
    assert not relay.log.exists()
    os.close(lock)


def test_one_that_ends_is_tried_again_with_other_ports_and_then_told(tmp_path):
    relay = LocalRelay(tmp_path)
    relay.start()  # there is no server in this folder

    with pytest.raises(LocalRelayError, match=r"relay: ended with 1; see .*relay\.log"):
        relay.await_url(LONGEST_S, threading.Event())
    assert relay.log.read_text().count("error:") == 2
    assert relay.pid() is None
    relay.stop()


def test_a_server_that_stops_does_not_wait_for_it(tmp_path):
    ends = threading.Event()
    ends.set()

    assert LocalRelay(tmp_path).await_url(LONGEST_S, ends) is None


def test_a_folder_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "relay").write_text("in the way")

    with pytest.raises(LocalRelayError, match="cannot be started"):
        LocalRelay(tmp_path).start()
