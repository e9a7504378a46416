"""Servers that several tests share."""

import pytest

from bayplan_up import RunningServer


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """Plain HTTP without tokens."""
    with RunningServer(tmp_path_factory.mktemp("plain"), "--insecure-http") as server:
        yield server


@pytest.fixture(scope="module")
def secure(tmp_path_factory):
    """TLS and tokens, as `bayplan up` starts it."""
    with RunningServer(tmp_path_factory.mktemp("secure")) as server:
        yield server
