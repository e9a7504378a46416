"""Engines that tests share."""

import pytest

from engine.running import running


@pytest.fixture(scope="module")
def engine():
    """One that nothing is wrong with."""
    with running("--enable-lora", "--max-loras", "2", "--lora-modules", "sql=/adapters/sql") as found:
        yield found
        assert found.process.poll() is None, "a test has ended it"


@pytest.fixture
def own_engine():
    """One that a test may break."""
    with running() as found:
        yield found
