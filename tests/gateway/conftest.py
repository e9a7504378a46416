"""Relays that tests share."""

import pytest

from gateway.running_relay import relay_and_engines


@pytest.fixture(scope="module")
def relay(tmp_path_factory):
    """One before two engines that nothing is wrong with."""
    with relay_and_engines(tmp_path_factory.mktemp("relay"), "--decision-header") as found:
        yield found
        assert found.process.poll() is None, "a test has ended it"


@pytest.fixture
def own_relay(tmp_path):
    """One that a test may break, with its engines."""
    with relay_and_engines(tmp_path) as found:
        yield found
