"""Fewer replicas than are booked: each removal is one that the rules name next, written a second time."""

from hypothesis import given, strategies as st

import bayplan
from properties.placement.documents import HALF, said
from properties.placement.domain_rules import LEVELS, domain

CARD_MIB = 1000


@st.composite
def crowds(draw):
    """Workers with replicas of the workload, some of them over two workers, and what others hold."""
    workers = []
    for number in range(draw(st.integers(2, 4))):
        place = {"zone": draw(st.sampled_from(("x", "y", None))), "rack": draw(st.sampled_from(("k", "l", None)))}
        status = draw(st.sampled_from(("ready", "ready", "ready", "not-ready")))
        cards = [{"index": each, "model": "H100-SXM5-80GB", "memory": CARD_MIB} for each in range(6)]
        workers.append({"name": f"w{number}", "status": status, "ram": 1000, "gpus": cards, **said(**place)})
    bookings, used = [], dict.fromkeys((worker["name"] for worker in workers), 0)
    for replica in range(draw(st.integers(1, 5))):
        names = draw(st.lists(st.sampled_from(sorted(used)), min_size=1, max_size=2, unique=True))
        bookings += [_booking("mine", replica, name, used, draw) for name in names]
    for number in range(draw(st.integers(0, 3))):
        bookings.append(_booking(f"other-{number}", 0, draw(st.sampled_from(sorted(used))), used, draw))
    return {"workers": workers, "bookings": [each for each in bookings if each]}


def _booking(workload, replica, worker, used, draw):
    part = draw(st.sampled_from(({}, {"memory": 300})))
    index = min(used[worker], 5)
    used[worker] += 1
    ram = draw(st.sampled_from((0, 10)))
    return {"workload": workload, "replica": replica, "worker": worker, "ram": ram, "gpus": [{"index": index, **part}]}


@HALF
@given(crowds(), st.sampled_from(("pack", "spread")), st.sampled_from((None, *LEVELS)), st.integers(0, 4))
def test_each_removal_is_next(cluster, strategy, level, wanted):
    if any(len(_on(cluster, worker["name"])) > 6 for worker in cluster["workers"]):
        return
    replicas = {each["replica"] for each in cluster["bookings"] if each["workload"] == "mine"}
    spec = {"replicas": wanted, "gpus": {"count": 1}, "strategy": strategy, **said(spreadOver=level)}
    plan = bayplan.plan({"metadata": {"name": "mine"}, "spec": spec}, cluster)

    removed = [each["replica"] for each in plan["removals"]]
    assert len(removed) == max(0, len(replicas) - wanted)
    left = cluster["bookings"]
    for replica in removed:
        keys = {each: _key(cluster, left, each, strategy, level) for each in replicas}
        assert keys[replica] == min(keys.values())
        replicas.discard(replica)
        left = [each for each in left if (each["workload"], each["replica"]) != ("mine", replica)]


def _on(cluster, name):
    return [each for each in cluster["bookings"] if each["worker"] == name]


def _key(cluster, bookings, replica, strategy, level):
    workers = {worker["name"]: worker for worker in cluster["workers"]}
    mine = [each for each in bookings if each["workload"] == "mine"]
    names = [each["worker"] for each in mine if each["replica"] == replica]
    is_ready = all(workers[name]["status"] == "ready" for name in names)
    crowded = 0
    for name in names if level else ():
        here = domain(workers[name], level)
        if here is not None:
            crowded = max(
                crowded, len({each["replica"] for each in mine if domain(workers[each["worker"]], level) == here})
            )
    if strategy == "spread":
        return (
            is_ready,
            -crowded,
            -max(len({each["replica"] for each in mine if each["worker"] == name}) for name in names),
        )
    kept = [
        each
        for each in bookings
        if each["worker"] in names and (each["workload"], each["replica"]) != ("mine", replica)
    ]
    memory = sum(part.get("memory", CARD_MIB) for each in kept for part in each["gpus"])
    return is_ready, -crowded, memory, sum(each["ram"] for each in kept)
