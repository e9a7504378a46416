"""Plans of replicas whose cards must be linked: as many as fit, on cards that are linked, whoever resolves them."""

from functools import cache
from itertools import combinations
from types import SimpleNamespace

from hypothesis import given, strategies as st

from bayplan.cluster.links import LinkSpec, wire_listed
from bayplan.cluster.snapshot import Snapshot
from bayplan.cluster.workload import Locality
from bayplan.placement.asks.ask import CardShape, Taking
from bayplan.placement.decision.bookings import Devices
from bayplan.placement.planning.plan import Verdict
from fleets import booking, joined_by_nvlink, share, whole
from unit.placement.builders import ask, gpu, planner, role, sized, subject, worker

SIZE = 40
MEMORY = 10


@st.composite
def machines(draw, most=6):
    """A worker with listed links, and bookings of some of its cards."""
    width = draw(st.integers(2, most))
    gpus = [
        gpu(number, memory_mib=SIZE, numa=draw(st.sampled_from([0, 1])), pcie_gen=4, model="V100-SXM2-32GB")
        for number in range(width)
    ]
    pairs = draw(st.lists(st.sampled_from(list(combinations(range(width), 2))), unique=True))
    links = wire_listed([LinkSpec(a, b, "nvlink", draw(st.sampled_from([50, 100]))) for a, b in pairs], gpus)
    held = draw(st.lists(st.sampled_from([None, None, "whole", 15]), min_size=width, max_size=width))
    parts = [whole(n) if what == "whole" else share(n, what) for n, what in enumerate(held) if what is not None]
    return worker(cards=gpus, links=links), (booking("other", *parts),) if parts else (), tuple(held)


DEMANDS = st.fixed_dictionaries(
    {
        "count": st.integers(1, 3),
        "locality": st.sampled_from([None, Locality.NVLINK, Locality.SAME_SOCKET]),
        "min_bandwidth_gb_per_s": st.sampled_from([None, 50.0, 100.0]),
        "memory_mib": st.sampled_from([None, None, MEMORY]),
    }
)


def is_allowed(where, demand, cards):
    if len(cards) == 1:
        return True
    if demand["locality"] is Locality.NVLINK and not joined_by_nvlink(where.links, cards):
        return False
    if demand["locality"] is Locality.SAME_SOCKET and len({where.gpus[place].numa for place in cards}) > 1:
        return False
    return where.links.smallest_bandwidth(cards) >= (demand["min_bandwidth_gb_per_s"] or 0)


def slots_of(held, demand):
    """How many replicas each card could serve."""
    if demand["memory_mib"] is None:
        return tuple(int(what is None) for what in held)
    return tuple(0 if what == "whole" else (SIZE - (what or 0)) // MEMORY for what in held)


def most(where, demand, slots):
    @cache
    def best(left):
        free = [place for place, each in enumerate(left) if each]
        sets = (cards for cards in combinations(free, demand["count"]) if is_allowed(where, demand, cards))
        after = (tuple(each - (place in cards) for place, each in enumerate(left)) for cards in sets)
        return max((1 + best(each) for each in after), default=0)

    return best(slots)


@given(machines(), DEMANDS, st.integers(1, 3))
def test_as_many_replicas_as_any_choice_of_cards_allows(case, demand, replicas):
    where, bookings, held = case
    if demand["memory_mib"] is not None:
        replicas = min(replicas, 2)
    found = planner(where, bookings=bookings).plan(sized(role(gpus=demand), replicas=replicas))
    cards = [[card.index for card in each.placed.bookings[0].cards] for each in found.replicas]

    assert len(cards) == min(replicas, most(where, demand, slots_of(held, demand)))
    assert all(len(each) == demand["count"] and is_allowed(where, demand, each) for each in cards)


@given(machines(), DEMANDS)
def test_waiting_is_what_an_empty_worker_would_hold(case, demand):
    where, bookings, held = case
    verdict = planner(where, bookings=bookings).plan(sized(role(gpus=demand))).verdict
    now, ever = (most(where, demand, slots_of(each, demand)) for each in (held, [None] * len(held)))

    assert verdict == (Verdict.FITS if now else Verdict.WAITING if ever else Verdict.INFEASIBLE)


@given(machines(), DEMANDS, st.integers(1, 3))
def test_the_quick_way_to_cards_is_the_slow_one(case, demand, copies):
    where, bookings, held = case
    asked = ask(
        taking=Taking.WHOLE,
        shapes=(CardShape(demand["count"]),),
        locality=demand["locality"],
        min_bandwidth_gb_per_s=demand["min_bandwidth_gb_per_s"] or 0.0,
        copies=copies,
    )
    demand = {**demand, "memory_mib": None}
    if not most(where, demand, slots_of(held, demand)):
        return
    snapshot = Snapshot.load([where], bookings)
    devices = Devices(snapshot, "tight")
    quick = devices.resolve(asked, snapshot.table, 0, SimpleNamespace(subject=subject())).value

    assert asked.quick
    assert quick == devices.placed(asked, snapshot.table, 0, subject())
