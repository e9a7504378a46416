from __future__ import annotations

import pytest

from unit.placement.answers.changes.asking import change, cluster, kinds

SLICED = {"enabled": True, "slices": [{"profile": "3g.20gb", "start": 0}]}


def card(index=0, **others):
    return {"index": index, "model": "A100-SXM4-40GB", "memory": "40Gi", **others}


def worker(name, *cards):
    return {"name": name, "gpus": list(cards)}


@pytest.mark.parametrize("mig", [SLICED, {"enabled": False}, None], ids=["cut", "not cut", "nothing said"])
def test_leave_for_one_card(mig):
    on = cluster(worker("a", card() if mig is None else card(mig=mig)), worker("b", card(model="T4", memory="16Gi")))

    found = change({"gpus": {"mig": "1g.5gb"}}, on, "mig-reconfigurable")

    assert found["detail"] == "let the MIG instances of a:cuda:0 be changed"
    assert (found["from"], found["to"]) == (False, ["a:cuda:0"])
    assert found["field"] == "workers[].gpus[].mig.reconfigurable"


def test_as_many_cards_as_it_takes():
    on = cluster(worker("a", card(0, mig=SLICED), card(1), card(2)))

    found = change({"gpus": {"mig": "4g.20gb", "count": 2}}, on, "mig-reconfigurable")

    assert len(found["to"]) == 2
    assert found["not_enough"] == {"to": found["to"][:1], "verdict": "infeasible"}


NO_USE = {
    "no such profile": ({"mig": "1g.10gb", "count": 9}, card()),
    "unhealthy": ({"mig": "1g.5gb"}, card(health="unhealthy")),
    "it may be cut already": ({"mig": "4g.20gb", "count": 2}, card(mig={"reconfigurable": True})),
    "whole cards": ({"count": 2}, card()),
}


@pytest.mark.parametrize(("gpus", "only"), NO_USE.values(), ids=NO_USE)
def test_where_leave_is_of_no_use(gpus, only):
    assert "mig-reconfigurable" not in kinds({"gpus": gpus}, cluster(worker("a", only)))
