"""What the store draws for new objects; its rules are in the contract suite."""

import uuid

from bayplan.stores import embedded
from bayplan.stores.embedded import random_uid


def test_a_uid_begins_with_the_time(monkeypatch):
    monkeypatch.setattr(embedded.time, "time_ns", lambda: 1_770_000_000_123_456_789)
    drawn = uuid.UUID(random_uid())

    assert drawn.version == 7
    assert drawn.variant == uuid.RFC_4122
    assert drawn.int >> 80 == 1_770_000_000_123


def test_uids_of_one_moment_differ(monkeypatch):
    monkeypatch.setattr(embedded.time, "time_ns", lambda: 1)

    assert len({random_uid() for _ in range(1_000)}) == 1_000
