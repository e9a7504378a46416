"""Servers that several tests share."""

import pytest

from server.running import running


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """Plain HTTP without tokens."""
    with running(tmp_path_factory.mktemp("plain")) as server:
        yield server


@pytest.fixture(scope="module")
def secure(tmp_path_factory):
    """TLS and tokens, as `bayplan up` starts it."""
    with running(tmp_path_factory.mktemp("secure"), tls=True) as server:
        yield server
