"""Many equal replicas: as one decision after the other would place them."""

import pytest

from bayplan.cluster.gang import Gang
from bayplan.cluster.selector import Selector
from bayplan.placement.gangs import equal_members
from bayplan.placement.gangs.equal_members import FEW_REPLICAS
from fleets import booking, share, whole
from unit.placement.builders import gpu, need, planner, role, sized, worker

MANY = 3 * FEW_REPLICAS


def fleet(racks=40):
    big = [worker(f"big-{number}", cards=4, labels={"disk": "fast"}, cpu_milli=64_000) for number in range(racks)]
    return *big, *(
        worker(f"small-{number}", cards=[gpu(0, memory_mib=24_000)], cpu_milli=8_000) for number in range(racks)
    )


FAST = Selector.of_labels({"disk": "fast"})
HELD = [booking("theirs", whole(0), on="big-3"), booking("theirs", share(1, 9_000), replica=1, on="big-3")]

ASKS = {
    "whole cards": sized(role(gpus={"count": 1}, cpu_milli=1), replicas=MANY),
    "pairs": sized(role(gpus={"count": 2}), replicas=MANY),
    "shares, more of them on a worker than are looked ahead": sized(role(gpus={"memory_mib": 900}), replicas=200),
    "shares of some workers": sized(role(gpus={"memory_mib": 9_000}, selector=FAST), replicas=MANY),
    "more than there is room for": sized(role(gpus={"count": 4}), replicas=MANY),
    "no cards": sized(role(gpus={}, cpu_milli=100), replicas=MANY),
    "a gang": sized(role(gpus={"count": 1}), replicas=MANY, gang=Gang(5)),
    "a model": sized(role(need(20_000), gpus={}), replicas=MANY),
    "some are there": sized(role(gpus={"count": 1}), name="theirs", replicas=MANY),
    "spread": sized(role(gpus={"count": 1}, strategy="spread"), replicas=MANY),
}


def told(plan):
    return plan.verdict, plan.options, plan.blocked, plan.warnings, [
        (each.index, each.placed, each.score, each.usd_per_hour) for each in plan.replicas
    ]  # fmt: skip


@pytest.mark.parametrize("racks", [4, 200], ids=["few workers", "many workers"])
@pytest.mark.parametrize("asked", ASKS.values(), ids=ASKS)
def test_counted_as_one_by_one(asked, racks, monkeypatch):
    workers = fleet(racks)
    counting = planner(*workers, bookings=HELD if racks > 4 else ())
    counted = counting.plan(asked)
    monkeypatch.setattr(equal_members, "FEW_REPLICAS", 10**9)
    plain = planner(*workers, bookings=HELD if racks > 4 else ())

    assert told(counted) == told(plain.plan(asked))
    counting.commit(counted)
    other = sized(role(gpus={"count": 1}), name="next")
    plain.commit(plain.plan(asked))
    assert told(counting.plan(other)) == told(plain.plan(other))


def test_one_decision_for_many_replicas(monkeypatch):
    plans = planner(*fleet())
    asked = []
    place = plans.state.strategies.place
    monkeypatch.setattr(
        plans.state.strategies, "place", lambda *args, **others: asked.append(1) or place(*args, **others)
    )
    made = plans.plan(ASKS["whole cards"])

    assert (len(made.replicas), len(asked)) == (MANY, 1)
