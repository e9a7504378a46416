"""What a relay cannot be told."""

import pytest

from bayplan.framework.errors import InputError
from bayplan.gateway.relay.settings import Limits, Patience, Records, Retries, Settings

WRONG = {
    "a head of no size": ({"limits": Limits(head_bytes=0)}, "head_bytes"),
    "no patience": ({"patience": Patience(connect_s=0)}, "connect_s"),
    "a number of tries below 0": ({"retries": Retries(most=-1)}, "retries.most"),
    "tries after a status below 0": ({"retries": Retries(most_for_status=-1)}, "retries.most_for_status"),
    "no room for records": ({"records": Records(kept=0)}, "records.kept"),
}


@pytest.mark.parametrize(("given", "place"), WRONG.values(), ids=WRONG)
def test_refused(given, place):
    with pytest.raises(InputError) as caught:
        Settings(**given)

    assert caught.value.place == place


def test_a_drain_ends_before_supervisors_kill():
    assert Settings().patience.drain_s < 10
