"""Too few MIG instances: one code, with its numbers, what would give more, and whether eviction could."""

from types import SimpleNamespace

import numpy as np
import pytest

from bayplan.cluster.frozen_map import FrozenMap
from bayplan.cluster.mig import MigState
from bayplan.framework.handlers.single_profile import SingleProfile
from bayplan.framework.pickers.max_score import MaxScore
from bayplan.framework.profile import Profile
from bayplan.framework.scheduler import Scheduler
from bayplan.placement.asks.ask import CardRule, CardShape, Taking
from bayplan.placement.filters.gpu_fit import GpuFit
from bayplan.placement.filters.mig_fit import MigFit
from bayplan.placement.producers.mig_cards import MigCards
from bayplan.placement.producers.slice_keys import SliceKeys
from bayplan.placement.producers.usable_cards import UsableCards
from fleets import CUT, FIXED, booking, instance, whole
from unit.placement.builders import ask, gpu, keeps_its_promises, subject, table_of, worker

OFF = MigState(enabled=False, reconfigurable=True)
LOOSE = FrozenMap({"1g.5gb": 2})


def slices(profile="1g.5gb", count=1, *, gpu_ids=None, **rule):
    return ask(
        taking=Taking.SLICES, shapes=(CardShape(count),), mig=profile, rule=CardRule(**rule), gpu_ids=gpu_ids
    )  # fmt: skip


def judge(asked, where, *held):
    """The only reason against a worker, None where there is none."""
    table = table_of(where, bookings=[booking("x", *held)] if held else [])
    producers = (UsableCards(), SliceKeys(), MigCards(("fit_order",)))
    profile = Profile("p", MaxScore(), filters=(GpuFit(), MigFit()), producers=producers)
    explanation = Scheduler([profile], SingleProfile(), table=table).schedule(subject(), asked, explained=True)
    reasons = explanation.explanations["p"].rejections(0).get(0) or [None]
    (only,) = reasons
    return only


def loose(count=1, profile="1g.5gb"):
    return [instance(profile, None, index=None) for _ in range(count)]


FITS = {
    "an instance that exists": (slices("2g.10gb"), [gpu(mig=FIXED)], {}, ()),
    "in other letters": (slices("2g.10gb"), [gpu(mig=FIXED)], {}, ()),
    "one that may be made": (slices("2g.10gb", 3), [gpu(mig=CUT)], {}, ()),
    "beside others": (slices("3g.20gb"), [gpu(mig=CUT)], {}, (instance("4g.20gb", 0),)),
    "on a card that must be switched on": (slices("1g.5gb", 7), [gpu(mig=OFF)], {}, ()),
    "over two cards": (slices("3g.20gb", 4), [gpu(mig=CUT), gpu(1, mig=OFF)], {}, ()),
    "of no known card": (slices(count=2), [], {"mig_slices": LOOSE}, ()),
    "on a card and on none": (slices(count=3), [gpu(mig=FIXED)], {"mig_slices": LOOSE}, ()),
    "of no known card, but all that are cut will do": (
        slices(models=("A100",)), [gpu(mig=MigState())], {"mig_slices": LOOSE}, (),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("asked", "cards", "host", "held"), FITS.values(), ids=FITS)
def test_they_are_there(asked, cards, host, held):
    assert judge(asked, worker(cards=cards, **host), *held) is None


RECUT = "; cuda:0 may not be reconfigured"
NOWHERE = "; no card that it may use has 1g.5gb"
H100 = {"model": "H100-SXM5-80GB", "memory_mib": 81_920}

SHORT = {
    "a profile of other cards": (
        slices(), [gpu(mig=CUT, **H100)], {}, (), 1, 0, False,
        NOWHERE + ", but 1g.10gb, 1g.20gb, 2g.20gb, 3g.40gb, 4g.40gb, 7g.80gb",
    ),
    "no cards": (slices(), [], {}, (), 1, 0, False, NOWHERE),
    "nothing is said of MIG": (slices(), [gpu()], {}, (), 1, 0, False, RECUT),
    "no leave to switch it on": (slices(), [gpu(mig=MigState(enabled=False))], {}, (), 1, 0, False, RECUT),
    "too few exist": (slices("2g.10gb", 2), [gpu(mig=FIXED)], {}, (), 2, 1, False, RECUT),
    "they are held": (
        slices("3g.20gb"), [gpu(mig=CUT)], {}, (instance("1g.5gb", 0), instance("1g.5gb", 4)), 1, 0, True,
        "; 2 more without the bookings on cuda:0",
    ),
    "even with them there are too few": (
        slices("3g.20gb", 3), [gpu(mig=CUT)], {}, (instance("1g.5gb", 0),), 3, 1, False,
        "; 1 more without the bookings on cuda:0",
    ),
    "the card is held whole": (
        slices(), [gpu(mig=OFF)], {}, (whole(),), 1, 0, True, "; 7 more without the bookings on cuda:0",
    ),
    "others use the card": (
        slices(), [gpu(mig=OFF, observed_used_mib=20_000)], {}, (), 1, 0, False,
        "; processes without a booking use cuda:0",
    ),
    "an unhealthy card": (slices(), [gpu(mig=CUT, healthy=False)], {}, (), 1, 0, False, NOWHERE),
    "of another model": (slices(models=("H100",)), [gpu(mig=CUT)], {}, (), 1, 0, False, NOWHERE),
    "too small a card": (slices(card_memory_mib=50_000), [gpu(mig=CUT)], {}, (), 1, 0, False, NOWHERE),
    "another card is named": (
        slices("2g.10gb", gpu_ids=["a:cuda:1"]), [gpu(mig=CUT), gpu(1, mig=FIXED)], {},
        (instance("2g.10gb", 4, index=1),), 1, 0, True,
        "; 1 more without the bookings on cuda:1; cuda:1 may not be reconfigured",
    ),
    "those of no known card are held": (
        slices(), [], {"mig_slices": LOOSE}, loose(2), 1, 0, True,
        "; 2 more without the bookings on its slices of no known card",
    ),
    "the model of those of no known card is not known": (
        slices(models=("A100",)), [], {"mig_slices": LOOSE}, (), 1, 0, False, NOWHERE,
    ),
    "the engine does not run there": (
        slices(runtime="rocm"), [], {"mig_slices": LOOSE}, (), 1, 0, False, NOWHERE,
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("asked", "cards", "host", "held", "needed", "free", "curable", "hint"), SHORT.values(), ids=SHORT
)
def test_they_are_not_to_be_had(asked, cards, host, held, needed, free, curable, hint):
    reason = judge(asked, worker(cards=cards, **host), *held)

    assert (reason.code, reason.filter, reason.needed, reason.free) == ("mig-unavailable", "mig-fit", needed, free)
    assert reason.curable is curable
    assert reason.message == f"needs {needed} instance{'s' * (needed != 1)} of {asked.mig}, can give {free}{hint}"


def test_of_many_cards_some_are_named():
    reason = judge(slices("7g.40gb", 11), worker(cards=[gpu(index) for index in range(10)]))

    assert reason.message.endswith("; cuda:0, cuda:1, cuda:2, cuda:3, cuda:4, cuda:5, cuda:6, cuda:7 and 2 more may "
                                   "not be reconfigured")  # fmt: skip


def test_contract():
    workers = [worker(cards=1), worker(cards=[gpu(mig=CUT)]), worker()]
    made = {"fit_order": [-1, 0, -1], "card_usable": [[True], [True], [False]], "card_rank": [[0], [0], [-1]]}
    keeps_its_promises(MigFit(), workers, [slices(), slices(count=2), ask()], made=made)
    assert MigFit.required


def test_whole_cards_are_not_its_business():
    cycle, rows = None, SimpleNamespace(size=2, fit_order=np.array([-1, 0]))

    assert MigFit().mask(ask(taking=Taking.WHOLE, shapes=(CardShape(1),)), rows, cycle).tolist() == [True, True]
    assert MigFit().mask(slices(), rows, cycle).tolist() == [False, True]
    assert GpuFit().mask(slices(), rows, cycle).tolist() == [True, True]
