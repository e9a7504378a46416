"""NUMA zones against plain loops over zones, on random small workers."""

from itertools import combinations

from hypothesis import given, strategies as st

from bayplan.cluster.gang import Gang
from bayplan.cluster.numa import Numa
from bayplan.placement.filters.numa_single_node import NumaSingleNode
from bayplan.placement.scorers.numa_alignment import NumaAlignment
from fleets import booking, whole
from unit.placement.builders import cards_of, judge, planner, role, sized
from unit.placement.numa_builders import pod, wants, zoned
from unit.placement.scorers.explained import terms

STRATEGIES = ("LeastAllocated", "MostAllocated", "BalancedAllocation", "LeastNUMANodes")
ZONE = st.tuples(st.integers(0, 4), st.integers(0, 4))


@st.composite
def workers(draw, policy="single-numa-node", most=4):
    """Zones of few cores and MiB with known distances, cards in them, and some of the cards held."""
    count = draw(st.integers(1, most))
    rows = [[draw(st.sampled_from([10, 20, 30])) for _ in range(count)] for _ in range(count)]
    zones = [(*draw(ZONE), row) for row in rows]
    cards = draw(st.lists(st.integers(0, count - 1), max_size=6))
    held = [
        booking(f"o{index}", whole(index), cpu_milli=1000 * draw(st.integers(0, 1)))
        for index in range(len(cards))
        if draw(st.booleans())
    ]
    scope = draw(st.sampled_from(["container", "pod"]))
    return zoned(*zones, cards=cards, scope=scope, policy=policy, cpu_milli=100_000, ram_mib=10_000), held


CONTAINER = st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 2))
PODS = st.builds(
    lambda containers, guaranteed: pod(*containers, guaranteed=guaranteed),
    st.lists(CONTAINER, min_size=1, max_size=3),
    st.booleans(),
)


class Zone:
    """A zone with what the bookings leave of it."""

    def __init__(self, worker, zone, held):
        inside = {gpu.index for gpu in worker.gpus if gpu.numa == zone.id}
        taken = [each for each in held if each.cards[0].index in inside]
        self.cpu = max(0, zone.cpu_milli - sum(each.cpu_milli for each in taken))
        self.ram, self.cards = zone.ram_mib, len(inside) - len(taken)

    def holds(self, cpu, ram, cards):
        return self.cpu >= cpu and self.ram >= ram and self.cards >= cards

    def take(self, cpu, ram, cards):
        self.cpu, self.ram, self.cards = self.cpu - cpu, self.ram - ram, self.cards - cards


def zones(worker, held):
    return [Zone(worker, zone, held) for zone in sorted(worker.numa.zones, key=lambda zone: zone.id)]


def containers(asked, worker):
    """CPU, RAM and cards of what must sit in one zone each."""
    each = [(one.cpu_milli, one.ram_mib, one.cards) for one in asked.containers]
    if worker.numa.scope == "pod":
        each = [tuple(map(sum, zip(*each, strict=True)))]
    return each if asked.guaranteed else [(0, 0, cards) for *_, cards in each]


def fits(asked, worker, held):
    """The rule in plain steps; too few cards over all zones is no question of zones."""
    free = zones(worker, held)
    if sum(zone.cards for zone in free) < sum(one.cards for one in asked.containers):
        return True
    for wanted in containers(asked, worker):
        zone = next((zone for zone in free if zone.holds(*wanted)), None)
        if zone is None:
            return False
        zone.take(*wanted)
    return True


@given(workers(), PODS)
def test_the_filter_is_the_plain_rule(on, asked):
    worker, held = on

    assert (judge(NumaSingleNode(), asked, worker, bookings=held).code is None) == fits(asked, worker, held)


@given(workers(), PODS, st.randoms())
def test_the_order_of_zones_does_not_matter(on, asked, random):
    worker, held = on
    shuffled = _shuffled(worker, random)

    first, second = (judge(NumaSingleNode(), asked, each, bookings=held) for each in (worker, shuffled))
    assert first == second


def _shuffled(worker, random):
    listed = list(worker.numa.zones)
    random.shuffle(listed)
    return type(worker)(
        worker.name, gpus=worker.gpus, cpu_milli=worker.cpu_milli, ram_mib=worker.ram_mib,
        numa=Numa(worker.numa.policy, worker.numa.scope, tuple(listed)),
    )  # fmt: skip


@given(workers(), st.integers(0, 3), st.integers(1, 3), st.integers(1, 4))
def test_plans_take_their_cards_from_one_zone(on, cores, cards, replicas):
    """And the CPU of all that was placed finds room in the zones of its cards."""
    worker, held = on
    plan = planner(worker, bookings=held).plan(
        sized(role(gpus={"count": cards}, cpu_milli=1000 * cores), replicas=replicas)
    )
    free = zones(worker, held)
    for replica in plan.replicas:
        taken = {worker.gpus[int(card.removeprefix("cuda:"))].numa for card in cards_of(replica)["a"]}
        assert len(taken) == 1
        zone = free[taken.pop()]
        assert zone.holds(1000 * cores, 0, cards)
        zone.take(1000 * cores, 0, cards)
    if len(plan.replicas) < replicas:
        assert not any(zone.holds(1000 * cores, 0, cards) for zone in free)


MEMBER = st.tuples(st.integers(0, 3), st.integers(1, 3), st.integers(1, 2))


@given(workers(), st.lists(MEMBER, min_size=2, max_size=3), st.integers(1, 4))
def test_gangs_of_unlike_members_take_theirs_from_one_zone_each(on, members, minimum):
    """However many tries it took to find them room."""
    worker, held = on
    roles = [
        (f"r{number}", replicas, role(gpus={"count": cards}, cpu_milli=1000 * cores))
        for number, (cores, cards, replicas) in enumerate(members)
    ]
    plan = planner(worker, bookings=held).plan(sized(*roles, gang=Gang(minimum)))
    free = zones(worker, held)
    for replica in plan.replicas:
        (booked,) = replica.placed.bookings
        taken = {worker.gpus[card.index].numa for card in booked.cards}
        assert len(taken) == 1
        wanted = booked.cpu_milli, 0, len(booked.cards)
        zone = free[taken.pop()]
        assert zone.holds(*wanted)
        zone.take(*wanted)


@given(workers(policy="best-effort"), PODS, st.sampled_from(STRATEGIES), st.randoms())
def test_scores_are_in_range_whatever_the_order_of_zones(on, asked, strategy, random):
    worker, held = on
    scorer = NumaAlignment(strategy)
    first, second = (terms(scorer, asked, each, bookings=held) for each in (worker, _shuffled(worker, random)))

    assert {name: term.score for name, term in first.items()} == {name: term.score for name, term in second.items()}
    assert all(0 <= term.score <= 1 for term in first.values())


@given(workers(policy="best-effort"), st.integers(0, 9), st.integers(0, 9), st.integers(0, 4))
def test_the_fewest_zones_are_the_fewest(on, cores, ram, cards):
    worker, held = on
    scored = terms(NumaAlignment("LeastNUMANodes"), wants(cores, ram, cards), worker, bookings=held)
    if not scored:
        return

    free = zones(worker, held)
    sizes = [
        size
        for size in range(1, len(free) + 1)
        for some in combinations(free, size)
        if _sum(some, "cpu") >= 1000 * cores and _sum(some, "ram") >= ram and _sum(some, "cards") >= cards
    ]
    percent = round(scored["a"].score * 100)
    assert percent in ((100 - 12 * sizes[0], 106 - 12 * sizes[0]) if sizes else (0,))


def _sum(some, name):
    return sum(getattr(zone, name) for zone in some)
