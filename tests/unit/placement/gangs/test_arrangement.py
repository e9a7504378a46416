"""The better of two tries."""

import pytest

from bayplan.placement.gangs.arrangement import Arrangement
from unit.placement.builders import worker
from unit.placement.gangs.racks import CARD, gang_of, trial_of


@pytest.mark.parametrize(("mine", "yours", "better"), [(2, 1, True), (1, 1, False), (0, 1, False)])
def test_who_holds_more_members_is_better(mine, yours, better):
    asked = gang_of(CARD, replicas=2)
    tries = []
    for number in (mine, yours):
        one = trial_of(asked, worker("a", cards=2))
        tries.append(Arrangement(one, one.place(number), 2))

    assert tries[0].beats(tries[1]) is better
