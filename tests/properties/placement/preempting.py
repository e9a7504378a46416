"""Crowded clusters, and every set of holders that could be sent away, tried one by one."""

from itertools import combinations
from random import Random

from hypothesis import strategies as st

import bayplan

NAMES = ("low", "mid", "web", "batch")
MOST_UNITS = 6


def make_crowd(chance, fleet):
    """Bookings of a few replicas; some stand on two workers, some are gangs."""
    found, units = [], 0
    for number in range(chance.randint(2, 10)):
        if units == MOST_UNITS:
            break
        name, gang = chance.choice(NAMES), chance.choice((None, None, None, "g"))
        places = chance.sample(fleet, min(len(fleet), chance.choice((1, 1, 1, 2))))
        units += gang is None
        for worker in places:
            free = _free(worker, found)
            if not free:
                continue
            cards = chance.sample(free, min(len(free), chance.choice((1, 1, 2, 4))))
            memory = chance.choice((None, None, 12, 20))
            gpus = [{"index": index, **({} if memory is None else {"memory": memory})} for index in cards]
            place = {"workload": name, "replica": number, "worker": worker["name"], "gpus": gpus, "ram": 8}
            found.append({**place, "priority": chance.choice((0, 1, 1, 2, 5)), **({"gang": gang} if gang else {})})
    return found


def _free(worker, bookings):
    """Cards of which there is at least a half: two may share one."""
    held = dict.fromkeys(range(worker["gpus"]["count"]), 0)
    for booking in bookings:
        for card in booking["gpus"] if booking["worker"] == worker["name"] else ():
            held[card["index"]] += card.get("memory", 40)
    return [index for index, memory in held.items() if memory <= 20]


@st.composite
def crowds(draw):
    """One to four workers, most of them full."""
    sizes = draw(st.lists(st.sampled_from((1, 2, 2, 4)), min_size=1, max_size=4))
    links = draw(st.sampled_from((None, "nvlink-pairs", "pcie")))
    fleet = [
        {
            "name": f"w{number}",
            "rack": f"r{number % 2}",
            "ram": 64,
            "gpus": {"count": size, "model": "A100", "memory": 40},
        }
        | ({} if links is None else {"links": links})
        for number, size in enumerate(sizes)
    ]
    chance = Random(draw(st.integers(0, 10_000)))  # noqa: S311 (test data, no secret)
    bookings = make_crowd(chance, fleet)
    budgets = [{"workload": name, "minAvailable": 1} for name in NAMES if chance.random() < 0.15]
    return {"workers": fleet, "bookings": bookings, "budgets": budgets}


@st.composite
def demanding(draw):
    """A workload that may preempt."""
    count, memory = draw(st.sampled_from((1, 1, 2, 2, 4))), draw(st.sampled_from((None, None, 16, 24)))
    gpus = {"count": count} | ({} if memory is None else {"memory": memory})
    if draw(st.sampled_from((False, False, True))) and count > 1:
        gpus["locality"] = "nvlink"
    spec = {"gpus": gpus, "priority": draw(st.sampled_from((1, 2, 3))), "preemption": "lower-priority"}
    spec["replicas"] = draw(st.sampled_from((1, 1, 1, 2, 3)))
    if draw(st.booleans()):
        spec["gang"] = {}
    if draw(st.sampled_from((False, False, False, True))):
        spec["antiAffinity"] = [draw(st.sampled_from(NAMES))]
    return spec


def units_of(bookings):
    """Bookings that fall together: of one replica, of one gang; as sets of their numbers."""
    groups = [{number} for number in range(len(bookings))]
    for first, second in combinations(range(len(bookings)), 2):
        a, b = bookings[first], bookings[second]
        same_gang = a.get("gang") is not None and a.get("gang") == b.get("gang")
        if same_gang or (a["workload"], a["replica"]) == (b["workload"], b["replica"]):
            one = next(group for group in groups if first in group)
            other = next(group for group in groups if second in group)
            if one is not other:
                groups.remove(other)
                one |= other
    return groups


def keeps_budgets(cluster, gone):
    kept = [booking for number, booking in enumerate(cluster["bookings"]) if number not in gone]
    lost = {booking["workload"] for number, booking in enumerate(cluster["bookings"]) if number in gone}
    return all(
        len({each["replica"] for each in kept if each["workload"] == budget["workload"]}) >= budget["minAvailable"]
        for budget in cluster["budgets"]
        if budget["workload"] in lost
    )


def cost_of(cluster, gone):
    """Highest priority, bookings, cards."""
    bookings = [cluster["bookings"][number] for number in gone]
    return max(each["priority"] for each in bookings), len(bookings), sum(len(each["gpus"]) for each in bookings)


def without(cluster, gone):
    bookings = [booking for number, booking in enumerate(cluster["bookings"]) if number not in gone]
    return {**cluster, "bookings": bookings}


def fits(cluster, spec, gone):
    """Whether all of it fits once these are gone, nobody else."""
    plan = bayplan.plan({"metadata": {"name": "new"}, "spec": {**spec, "preemption": "never"}}, without(cluster, gone))
    return plan["verdict"] == "fits"


def sufficient(cluster, spec):
    """Every set of units that may go and whose going is enough."""
    units = [unit for unit in units_of(cluster["bookings"]) if cost_of(cluster, unit)[0] < spec["priority"]]
    for size in range(1, len(units) + 1):
        for chosen in combinations(units, size):
            gone = set().union(*chosen)
            if keeps_budgets(cluster, gone) and fits(cluster, spec, gone):
                yield gone


def numbers_of(cluster, victims):
    """Which bookings a plan names."""
    named = {(each["workload"], each["replica"], each["worker"]) for each in victims}
    return {
        number
        for number, each in enumerate(cluster["bookings"])
        if (each["workload"], each["replica"], each["worker"]) in named
    }
