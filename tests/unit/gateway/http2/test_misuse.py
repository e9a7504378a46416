"""Frames without use are counted, and forgiven with time."""

import pytest

from bayplan.gateway.http2.faults import ConnectionFault
from bayplan.gateway.http2.misuse import Misuse


def test_too_many_at_once():
    misuse = Misuse(3, 1.0, 0.0)
    for _ in range(3):
        misuse.add(0.0, "PING")

    with pytest.raises(ConnectionFault, match="the last of them PING"):
        misuse.add(0.0, "PING")


def test_time_forgives():
    misuse = Misuse(3, 1.0, 0.0)
    for second in range(100):
        misuse.add(float(second), "PING")
    for _ in range(2):
        misuse.add(99.0, "PING")

    with pytest.raises(ConnectionFault):
        misuse.add(99.0, "PING")
