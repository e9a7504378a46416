"""Workers, workloads and what `why` says would make them fit, in a few words."""

from __future__ import annotations

import bayplan

LLAMA_70B = {"heads": 64, "kvHeads": 8, "layers": 80, "vocabSize": 128256, "hiddenSize": 8192}


def worker(name="a", *, cards=2, memory="80Gi", model="A100-SXM4-80GB", **others):
    return {"name": name, "gpus": {"count": cards, "model": model, "memory": memory}, **others}


def held(workload="other", *cards, on="a", replica=0, **others):
    gpus = [{"index": card} if isinstance(card, int) else {"index": card[0], "memory": card[1]} for card in cards]
    return {"workload": workload, "replica": replica, "worker": on, "gpus": gpus, **others}


def model(weights="100Gi", **others):
    return {"weights": weights, "kvCache": "0", "overhead": "0", **others}


def cluster(*workers, bookings=(), budgets=()):
    return {"workers": list(workers), "bookings": list(bookings), "budgets": list(budgets)}


def asked(spec, on):
    """The whole answer."""
    return bayplan.why({"metadata": {"name": "mine"}, "spec": spec}, on)


def changes(spec, on, kind=None):
    """The changes, of one kind if it is named."""
    return [each for each in asked(spec, on)["changes"] if kind in (None, each["change"])]


def change(spec, on, kind):
    """The only change of a kind."""
    (only,) = changes(spec, on, kind)
    return only


def kinds(spec, on):
    return [each["change"] for each in changes(spec, on)]


def verdict(spec, on):
    return bayplan.plan({"metadata": {"name": "mine"}, "spec": spec}, on)["verdict"]
