"""What a plan does to cards, told before it is done."""

import pytest

from bayplan.cluster.mig import MigInstance, MigState
from bayplan.placement.cards.mig.reconfigurations import MOST_TOLD, as_cut, reconfigurations, told
from fleets import booking, instance, whole
from unit.placement.builders import gpu, worker


def state(*slices, enabled=True, reconfigurable=True):
    return MigState(enabled, reconfigurable, tuple(MigInstance(*each) for each in slices))


SEVENTHS = state(*(("1g.5gb", start) for start in range(7)))

CASES = {
    "an instance that exists": (SEVENTHS, [instance("1g.5gb", 3)], [], None),
    "the same in other letters": (SEVENTHS, [instance("1G.5GB", 3)], [], None),
    "idle ones make room": (SEVENTHS, [instance("3g.20gb", 4)], [], (False, ["1g.5gb@4", "1g.5gb@5", "1g.5gb@6"])),
    "a held one stays": (SEVENTHS, [instance("3g.20gb", 4)], [instance("1g.5gb", 0)], (False, [
        "1g.5gb@4", "1g.5gb@5", "1g.5gb@6",
    ])),
    "some are gone already": (SEVENTHS, [instance("2g.10gb", 0)], [instance("3g.20gb", 4)], (False, [
        "1g.5gb@0", "1g.5gb@1",
    ])),
    "a free place": (state(("3g.20gb", 0)), [instance("3g.20gb", 4)], [], (False, [])),
    "MIG is switched on": (state(enabled=False), [instance("3g.20gb", 4)], [], (True, [])),
    "MIG will be on": (state(enabled=False), [instance("3g.20gb", 4)], [instance("1g.5gb", 0)], (False, [])),
    "a whole card": (None, [whole()], [], None),
}  # fmt: skip


@pytest.mark.parametrize(("mig", "wanted", "held", "expected"), CASES.values(), ids=CASES)
def test_what_is_done_to_a_card(mig, wanted, held, expected):
    where = worker(cards=[gpu(mig=mig)])

    found = reconfigurations([booking("m", *wanted)], [booking("x", *held)] if held else [], {"a": where})

    if expected is None:
        assert found == ()
        return
    (only,) = found
    assert (only.enable, [str(each) for each in only.remove]) == expected
    assert [str(each) for each in only.create] == [str(each.mig) for each in wanted]


def test_as_documents_and_people_read_it():
    where = worker(cards=[gpu(mig=state(("1g.5gb", 4))), gpu(1, mig=state(enabled=False))])
    wanted = booking("m", instance("3g.20gb", 4), instance("1g.5gb", 6, index=1))

    first, second = reconfigurations([wanted], (), {"a": where})

    assert first.as_dict() == {
        "worker": "a",
        "runtime": "cuda",
        "index": 0,
        "enable": False,
        "remove": [{"profile": "1g.5gb", "start": 4}],
        "create": [{"profile": "3g.20gb", "start": 4}],
    }
    assert told((first, second)) == [
        "mig: cuda:0 of a loses 1g.5gb@4, which no booking uses, gets 3g.20gb@4",
        "mig: cuda:1 of a is switched to MIG, gets 1g.5gb@6",
    ]


def test_of_many_cards_the_first_few_are_told():
    where = worker(cards=[gpu(index, mig=state()) for index in range(6)])
    wanted = booking("m", *(instance("7g.40gb", 0, index=index) for index in range(6)))

    lines = told(reconfigurations([wanted], (), {"a": where}))

    assert len(lines) == MOST_TOLD + 1
    assert lines[-1] == "mig: 2 more cards would be reconfigured: see `reconfigurations`"


CUTS = {
    "as it was": (SEVENTHS, [instance("1g.5gb", 3)], SEVENTHS),
    "nobody holds any": (SEVENTHS, [], SEVENTHS),
    "what made way is gone": (state(("3g.20gb", 0), ("2g.10gb", 4)), [instance("1g.5gb", 5)], state(
        ("3g.20gb", 0), ("1g.5gb", 5),
    )),
    "MIG is on": (state(enabled=False), [instance("3g.20gb", 4)], state(("3g.20gb", 4))),
    "never cut": (state(("3g.20gb", 0), reconfigurable=False), [instance("1g.5gb", 5)], state(
        ("3g.20gb", 0), reconfigurable=False,
    )),
    "a whole card": (None, [whole()], None),
}  # fmt: skip


@pytest.mark.parametrize(("mig", "held", "after"), CUTS.values(), ids=CUTS)
def test_a_card_as_its_holders_need_it(mig, held, after):
    cut = as_cut(worker(cards=[gpu(mig=mig)]), [booking("x", *held)] if held else [])

    assert cut.gpus[0].mig == after
