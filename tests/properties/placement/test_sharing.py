"""Shared cards: nothing is oversold, and every verdict is that of an oracle that counts card by card."""

import numpy as np
from hypothesis import assume, event, given, strategies as st

import bayplan
from bayplan.cluster.columns import STATE_NAMES
from bayplan.cluster.invariants import check
from bayplan.cluster.ledger import Ledger
from bayplan.cluster.snapshot import Snapshot
from bayplan.library.documents import documents_of
from bayplan.library.plan import planned
from bayplan.library.planner import planner_of
from bayplan.library.sized_workloads import read_sized_workloads
from bayplan.manifests.native.cluster_writer import write_cluster
from bayplan.placement.asks.ask import Taking
from bayplan.placement.asks.from_shape import ask_tiers
from bayplan.placement.asks.subject import Subject
from bayplan.placement.cards.choose import look
from bayplan.placement.gangs.booked_rows import BookedRows
from properties.placement.documents import FEWER, HALF
from properties.placement.sharing import (
    asked,
    copies,
    dealt,
    fits,
    hosts,
    oversold,
    shared_clusters,
    takes_one_card_a_share,
    takes_places,
    worlds,
)  # fmt: skip


@HALF
@given(worlds())
def test_each_workload_fits_exactly_where_it_does(world):
    cluster, documents = world
    before = len(check(Ledger.of(planner_of(cluster)[0].state.result())))
    for document in documents:
        made = planned([document], cluster)
        planner, (plan,) = made.planner.placement, made.plans
        now = any(fits(host, document) for host in hosts(cluster))
        emptied = any(fits(host, document) for host in hosts(cluster, emptied=True))
        assert plan.verdict == ("fits" if now else "waiting" if emptied else "infeasible"), document
        event(plan.verdict)
        after = write_cluster(planner.state.result())
        if now:
            check_places(cluster, after, document)
        assert set(oversold(after)) <= set(oversold(cluster))
        assert len(check(Ledger.of(planner.state.result()))) <= before
        cluster = after


def check_places(cluster, after, document):
    """Places are those of the rule, with their parts of the memory and of the compute."""
    booking = next(each for each in after["bookings"] if each["workload"] == document["metadata"]["name"])
    host = next(each for each in hosts(cluster) if each.facts["name"] == booking["worker"])
    assert fits(host, document)
    if (count := takes_places(host, document)) is None:
        return
    event("places")
    assert {part["index"]: part["places"] for part in booking["gpus"]} == dealt(host, count)
    for part in booking["gpus"]:
        card = host.cards[part["index"]].facts
        if "memory" in card:
            assert part["memory"] == part["places"] * card["memory"] // card["places"]
        assert round(part["computePercent"] * 10) == part["places"] * 1000 // card["places"]


@HALF
@given(shared_clusters(), asked, st.integers(1, 14))
def test_as_many_replicas_are_placed_as_find_room(cluster, make, wanted):
    document = make("p")
    assume(takes_one_card_a_share(document))
    now = sum(copies(host, document) for host in hosts(cluster))
    emptied = any(fits(host, document) for host in hosts(cluster, emptied=True))

    made = planned([replicated(document, wanted)], cluster)
    planner, (plan,) = made.planner.placement, made.plans

    event(f"{plan.verdict}")
    assert len(plan.replicas) == min(now, wanted)
    none = "waiting" if emptied else "infeasible"
    assert plan.verdict == ("fits" if now >= wanted else "partly" if now else none)
    assert not check(Ledger.of(planner.state.result())) or check(Ledger.of(planner_of(cluster)[0].state.result()))


def replicated(document, count):
    """So many of it: a Pod as those of a Deployment."""
    if document.get("kind") != "Pod":
        return {**document, "spec": {**document["spec"], "replicas": count}}
    name = document["metadata"]["name"]
    labels = {"app": name}
    template = {"metadata": {**document["metadata"], "labels": labels}, "spec": document["spec"]}
    spec = {"replicas": count, "selector": {"matchLabels": labels}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": spec}


@FEWER
@given(worlds())
def test_one_call_plans_as_a_chain_of_files_does(world):
    cluster, documents = world
    at_once = bayplan.plan(documents, cluster)
    for document, found in zip(documents, at_once.get("items", [at_once]), strict=True):
        planner = planned([document], cluster).planner.placement
        chained = bayplan.plan(document, cluster)
        for name in ("verdict", "replicas", "rejections"):
            assert chained[name] == found[name]
        cluster = write_cluster(planner.state.result())
        read = Snapshot.of(planner.state.result())
        for name in STATE_NAMES:
            kept = planner.state.table.gather((name,), np.arange(len(read.workers)))[name]
            assert kept.tolist() == read.table.columns[name].tolist(), name


@FEWER
@given(worlds())
def test_rows_counted_together_are_as_bookings_counted_one_by_one(world):
    cluster, documents = world
    planner, _ = planner_of(cluster)
    snapshot, devices, subject = planner.state.snapshot, planner.state.strategies.devices("pack"), Subject("new")
    for sized in read_sized_workloads(documents_of(documents, "workloads")):
        for ask in ask_tiers(sized.roles[0], snapshot).asks:
            if ask.taking is Taking.SLICES or ask.unknown:
                continue
            rows = np.arange(snapshot.table.size)
            good = rows[look(ask, snapshot.table, rows).fit_shape >= 0]
            supposed, fork = BookedRows(snapshot.table, good), snapshot.table.fork()
            if not len(good):
                continue
            supposed.book(ask, "tight", subject)
            for row in good.tolist():
                (share,) = devices.placed(ask, fork, row, subject).shares
                fork.write(row, snapshot.after(row, booked=(share.booking,), table=fork, foreseen=True))
            there = fork.gather(STATE_NAMES, good)
            for name in STATE_NAMES:
                assert supposed.columns[name].tolist() == there[name].tolist(), (ask.taking, name)
