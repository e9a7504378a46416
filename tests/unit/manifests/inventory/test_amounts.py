"""Quantities of inventories: what is offered is rounded down, what is held up."""

import pytest

from bayplan.framework.errors import InputError
from bayplan.manifests.inventory.amounts import (
    MAX_CARDS,
    bytes_claimed,
    bytes_offered,
    cards_counted,
    cpu_claimed,
    cpu_offered,
    mib_offered,
)

READ = {
    "Ki, the short way":  (bytes_offered, "2047Ki", 1),
    "Ki, the long way":   (bytes_offered, "2047.0Ki", 1),
    "bare bytes":         (bytes_offered, str(2**20 - 1), 0),
    "bytes of JSON":      (bytes_offered, 2**30, 1024),
    "bytes held":         (bytes_claimed, 1, 1),
    "MiB of a label":     (mib_offered, "81559", 81559),
    "cores":              (cpu_offered, "0.0015", 1),
    "cores held":         (cpu_claimed, "0.0015", 2),
    "cards":              (cards_counted, "8", 8),
    "cards of JSON":      (cards_counted, 8, 8),
    "as many as allowed": (cards_counted, str(MAX_CARDS), MAX_CARDS),
}  # fmt: skip


@pytest.mark.parametrize(("read", "value", "expected"), READ.values(), ids=READ)
def test_read(read, value, expected):
    assert read(value, "p") == expected


READERS = (bytes_offered, bytes_claimed, mib_offered, cpu_offered, cpu_claimed, cards_counted)
WRONG = ("", "-1", "x", "NaN", "1e30", "9" * 40, "²Ki", True, None, [], {}, -1, 10**30, float("nan"), float("inf"))


@pytest.mark.parametrize("read", READERS, ids=lambda read: read.__name__)
@pytest.mark.parametrize("value", WRONG, ids=repr)
def test_refused_with_its_place(read, value):
    with pytest.raises(InputError) as caught:
        read(value, "a.b")

    assert caught.value.place == "a.b"
    assert caught.value.next


def test_one_card_too_many():
    with pytest.raises(InputError, match="1,025 devices on one worker, and at most 1,024 are read"):
        cards_counted(MAX_CARDS + 1, "p")
