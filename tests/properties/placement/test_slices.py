"""MIG instances: never beyond a card's geometry, as many as there are, and the same whatever the order of workers.

The oracle counts from the words of the cards and bookings: which starts of a profile no booked instance covers.
"""

import numpy as np
from hypothesis import given, strategies as st

from bayplan.cluster.booking import Booking, CardBooking
from bayplan.cluster.frozen_map import FrozenMap
from bayplan.cluster.gpu import Gpu
from bayplan.cluster.ledger import Ledger
from bayplan.cluster.mig import MigInstance, MigState
from bayplan.cluster.worker import Worker
from bayplan.placement.asks.ask import Ask, CardRule, CardShape, Taking
from bayplan.placement.asks.siblings import Siblings
from bayplan.placement.asks.subject import Subject
from bayplan.placement.cards.mig.instances import ROOM_READS, rooms
from bayplan.placement.decision.bookings import Devices
from bayplan.placement.decision.strategies import Strategies
from bayplan.placement.producers.even_mig_cards import EvenMigCards
from bayplan.placement.producers.mig_cards import MigCards
from bayplan.placement.producers.slice_keys import SliceKeys
from bayplan.placement.producers.usable_cards import UsableCards
from properties.placement.documents import FEWER
from unit.placement.builders import planner, profiles, role, sized

SIZES = {
    "A100-SXM4-40GB": {"1g.5gb": 1, "1g.10gb": 2, "2g.10gb": 2, "3g.20gb": 4, "4g.20gb": 4, "7g.40gb": 8},
    "A100-SXM4-80GB": {"1g.10gb": 1, "1g.20gb": 2, "2g.20gb": 2, "3g.40gb": 4, "4g.40gb": 4, "7g.80gb": 8},
}
STARTS = [(0, 1, 2, 3, 4, 5, 6), (0, 2, 4, 6), (0, 2, 4), (0, 4), (0,), (0,)]
LEGAL = {model: dict(zip(sizes, STARTS, strict=True)) for model, sizes in SIZES.items()}
MEMORY = {"A100-SXM4-40GB": 40_960, "A100-SXM4-80GB": 81_920}
PROFILES = st.sampled_from(["1g.5gb", "1g.10gb", "2g.10gb", "3g.20gb", "4g.20gb", "7g.40gb", "3g.40gb"])
ALL = ("card_room", "chosen", "fit_leader", "fit_order", "fit_rank", "fit_shape", "fullness")


def slices_of(model, profile, start):
    return set(range(start, start + SIZES[model][profile]))


@st.composite
def cuts(draw, model):
    """Instances that exist together."""
    taken, made = set(), []
    for profile in draw(st.lists(st.sampled_from(list(SIZES[model])), max_size=6)):
        start = draw(st.sampled_from(LEGAL[model][profile]))
        if not taken & slices_of(model, profile, start):
            taken |= slices_of(model, profile, start)
            made.append(MigInstance(profile, start))
    return tuple(made)


@st.composite
def cards(draw):
    gpus = []
    for index in range(draw(st.integers(0, 3))):
        model = draw(st.sampled_from(list(SIZES)))
        mig = draw(
            st.none()
            | st.builds(MigState, enabled=st.booleans(), reconfigurable=st.booleans(), slices=cuts(model))
            | st.just(MigState(reconfigurable=True))
        )
        healthy = draw(st.sampled_from([True, True, True, False]))
        gpus.append(Gpu(index, model=model, memory_mib=MEMORY[model], mig=mig, healthy=healthy))
    return tuple(gpus)


@st.composite
def fleets(draw, most=3):
    loose = st.dictionaries(PROFILES, st.integers(0, 3), max_size=2)
    return [
        Worker(f"w{number}", gpus=draw(cards()), mig_slices=FrozenMap(draw(loose)))
        for number in range(draw(st.integers(1, most)))
    ]


def slices(profile, count=1, **rule):
    return Ask(taking=Taking.SLICES, shapes=(CardShape(count),), mig=profile, rule=CardRule(**rule))


ASKS = st.builds(
    slices,
    PROFILES,
    st.integers(1, 4),
    models=st.sampled_from([(), ("A100-SXM4-80GB",), ("A100-SXM4-80GB", "A100-SXM4-40GB")]),
)


def free_starts(gpu, profile, held):
    """Where an instance of the profile may be on a card beside what is booked on it."""
    if not gpu.healthy or gpu.mig is None or any(part.mig is None for part in held):
        return []
    taken = set()
    for part in held:
        taken |= slices_of(gpu.model, part.mig.profile, part.mig.start)
    if gpu.mig.reconfigurable:
        legal = LEGAL[gpu.model].get(profile, ())
    else:
        legal = [each.start for each in gpu.mig.slices if each.profile == profile and gpu.mig.enabled]
    return [start for start in legal if not taken & slices_of(gpu.model, profile, start)]


def room(worker, asked, bookings):
    """How many instances a worker could give."""
    parts = [part for booking in bookings if booking.worker == worker.name for part in booking.cards]
    models = asked.rule.models
    usable = [gpu for gpu in worker.gpus if not models or gpu.model in models]
    found = sum(len(free_starts(gpu, asked.mig, [part for part in parts if part.index == gpu.index])) for gpu in usable)
    cut = [gpu for gpu in worker.gpus if gpu.mig_enabled]
    if not models or (cut and all(gpu.healthy and gpu.model in models for gpu in cut)):
        held = sum(part.card is None and part.mig.profile == asked.mig for part in parts)
        found += worker.mig_slices.get(asked.mig, 0) - held
    return found


def place(placer, asked, number, strategy):
    outcome = placer.place(Subject("mine", number), strategy, (asked,), seed=number)
    return outcome.picked[0].resolution.value.bookings if outcome.ok else None


STEPS = st.lists(st.tuples(ASKS, st.sampled_from(["pack", "spread"]), st.integers(0, 3)), max_size=14)


@FEWER
@given(fleets(), STEPS)
def test_whatever_comes_and_goes_a_placement_is_found_if_and_only_if_there_is_one(workers, steps):
    ledger = Ledger(workers)
    placer = Strategies(ledger.snapshot, profiles())
    for number, (asked, strategy, release) in enumerate(steps):
        if release == 0 and ledger.bookings:
            ledger.release([ledger.bookings[number % len(ledger.bookings)]])
        most = max(room(worker, asked, ledger.bookings) for worker in workers)
        booked = place(placer, asked, number, strategy)

        assert (booked is not None) == (most >= asked.shapes[0].cards)
        if booked is not None:
            assert sum(len(each.cards) for each in booked) == asked.shapes[0].cards
            ledger.book(booked, expected=ledger.revision)  # refuses what exceeds a card's geometry


@FEWER
@given(fleets(most=1), PROFILES, st.sampled_from(["pack", "spread"]))
def test_one_by_one_as_many_are_placed_as_there_is_room(workers, profile, strategy):
    asked = slices(profile)
    most = room(workers[0], asked, ())
    ledger = Ledger(workers)
    placer = Strategies(ledger.snapshot, profiles())
    for number in range(most):
        ledger.book(place(placer, asked, number, strategy), expected=ledger.revision)

    assert place(placer, asked, most, strategy) is None


HELD = st.lists(st.tuples(ASKS, st.integers(0, 9)), max_size=6)


def columns(workers, held, asked, make):
    """The rows of a fleet on which something is held, and what a producer says of them."""
    ledger = Ledger(workers)
    placer = Strategies(ledger.snapshot, profiles())
    for number, (each, _) in enumerate(held):
        booked = place(placer, each, number, "pack")
        if booked is not None:
            ledger.book(booked, expected=ledger.revision)
    snapshot = ledger.snapshot
    names = {*ROOM_READS, *UsableCards.reads, *SliceKeys.reads, *EvenMigCards.reads}
    rows = Rows(len(workers), snapshot.pools)
    for name in names & snapshot.table.columns.keys():
        setattr(rows, name, snapshot.table.columns[name])
    vars(rows).update(UsableCards().produce(asked, rows, None))
    vars(rows).update(SliceKeys().produce(asked, rows, None))
    return ledger, rows, make.produce(asked, rows, Rows(0, None))


class Rows:
    """Rows, and a cycle of nobody in particular."""

    def __init__(self, size, pools):
        self.size, self.pools, self.subject = size, pools, Subject("mine", siblings=Siblings())


@FEWER
@given(fleets(), HELD, ASKS, st.sampled_from(["tight", "even"]))
def test_scorers_see_the_cards_that_are_then_taken(workers, held, asked, order):
    make = EvenMigCards(ALL) if order == "even" else MigCards(ALL)
    ledger, rows, made = columns(workers, held, asked, make)
    counts = rooms(asked, rows)
    devices = Devices(ledger.snapshot, order)

    assert ((made["fullness"] >= 0) & (made["fullness"] <= 1)).all()
    for row, worker in enumerate(ledger.snapshot.workers):
        assert counts[row] == room(worker, asked, ledger.bookings)
        assert (made["fit_order"][row] >= 0) == (counts[row] >= asked.shapes[0].cards)
        if made["fit_order"][row] < 0:
            assert not made["chosen"][row].any()
            continue
        placed = devices.placed(asked, ledger.snapshot.table, row, Subject("mine"))
        taken = {part.index for part in placed.bookings[0].cards if part.index is not None}
        assert set(np.flatnonzero(made["chosen"][row]).tolist()) == taken


@FEWER
@given(fleets(), HELD, PROFILES)
def test_the_short_way_says_what_the_long_one_says(workers, held, profile):
    asked = slices(profile)
    _, _, long = columns(workers, held, asked, MigCards(ALL))
    _, _, short = columns(workers, held, asked, MigCards(("fit_order", "fullness")))

    assert short["fit_order"].tolist() == long["fit_order"].tolist()
    assert np.where(short["fit_order"] >= 0, short["fullness"], 0).tolist() == long["fullness"].tolist()


@FEWER
@given(fleets(), st.lists(st.tuples(PROFILES, st.integers(1, 3), st.integers(1, 3)), min_size=1, max_size=3))
def test_another_order_of_workers_gives_the_same_verdicts(workers, wanted):
    requests = [
        sized(role(gpus={"mig": profile, "count": count}), name=f"m{number}", replicas=replicas)
        for number, (profile, count, replicas) in enumerate(wanted)
    ]
    answers = []
    for order in (workers, workers[::-1]):
        plans = planner(*order)
        made = []
        for each in requests:
            made.append(plans.plan(each))
            plans.commit(made[-1])
        answers.append([(plan.verdict, plan.bookings, plan.reconfigurations) for plan in made])

    assert answers[0] == answers[1]


@FEWER
@given(st.lists(PROFILES, max_size=8), cuts("A100-SXM4-40GB"))
def test_mixed_instances_of_one_card_can_be_arranged_and_only_idle_ones_are_removed(wanted, there):
    gpu = Gpu(0, model="A100-SXM4-40GB", memory_mib=40_960, mig=MigState(True, True, there))
    held = Booking("other", 0, "w", cards=tuple(CardBooking(0, mig=each) for each in there[:1]))
    plans = planner(Worker("w", gpus=(gpu,)), bookings=(held,) if there else ())
    placed = list(there[:1])
    for number, profile in enumerate(wanted):
        plan = plans.plan(sized(role(gpus={"mig": profile}), name=f"m{number}"))
        for each in plan.reconfigurations:
            assert not set(each.remove) & set(placed)
            assert set(each.remove) <= set(there)
            assert [part.mig for booking in plan.bookings for part in booking.cards] == list(each.create)
        plans.commit(plan)
        placed += [part.mig for booking in plan.bookings for part in booking.cards]

    assert gpu.geometry.arrange([each.profile for each in placed]) is not None
    assert len(set().union(*(slices_of(gpu.model, each.profile, each.start) for each in placed))) == sum(
        SIZES[gpu.model][each.profile] for each in placed
    )
