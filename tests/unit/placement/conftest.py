"""Fixtures of placement."""

import pytest

from bayplan.sizing import margins


@pytest.fixture
def no_headroom(monkeypatch):
    """Cards of a few MiB, so that sums are easy to follow: engines need nothing beside what they book."""
    for name in ("_HEADROOM_MIB", "_HEADROOM_OF_SEVERAL_MIB", "_GONE_MIB", "_GONE_OF_SEVERAL_MIB"):
        monkeypatch.setattr(margins, name, 0)
