"""Plans of models: as a plain reading of the rules says, and what must hold of every plan."""

from __future__ import annotations

from hypothesis import given, strategies as st

import bayplan
from properties.serving.oracle import HERE, LEAVING, Question, free, held
from properties.serving.strategies import bookings, document, models, servers


@st.composite
def questions(draw):
    on = draw(servers())
    return draw(models()), on, draw(bookings(on))


@given(questions())
def test_plans_are_as_the_plain_reading_says(question):
    model, on, booked = question
    plan = bayplan.plan(document(model), {"servers": on, "bookings": booked})
    oracle = Question(*question)
    verdict, server, indexes = oracle.answer()

    assert plan["verdict"] == oracle.verdict()
    if verdict != "refused":
        assert plan["server"] == server
        assert {each["serverReplica"] for each in plan["replicas"]} == indexes
    else:
        assert plan["removals"] == []
        assert all(each["kept"] for each in plan["replicas"])


@given(questions())
def test_every_code_is_told_and_no_other(question):
    model, on, booked = question
    why = bayplan.why(document(model), {"servers": on, "bookings": booked})
    oracle = Question(*question)

    for server, told in zip(sorted(on, key=lambda each: each["name"]), why["servers"], strict=True):
        fitting = len(oracle.fitting(server))
        short = ["replicas-short"] if server["replicas"] and fitting < model["replicas"] else []
        assert sorted(each["code"] for each in told["rejections"]) == sorted(oracle.server_codes(server) + short)
        for replica, answer in zip(server["replicas"], told["replicas"], strict=True):
            codes = sorted(oracle.replica_codes(server, replica))
            assert sorted(each["code"] for each in answer["rejections"]) == codes
            assert answer["feasible"] is (not codes)
            assert answer["free_mib"] == free(replica, held(booked, server["name"], replica["index"]))


@st.composite
def calls(draw):
    on = draw(servers())
    names = ("iris", "income", "wine")
    return [draw(models(name)) for name in names], on, draw(bookings(on))


@given(calls())
def test_what_must_hold_of_several_models_in_one_call(call):
    asked, on, booked = call
    plans = bayplan.plan([document(each) for each in asked], {"servers": on, "bookings": booked})["items"]
    replicas = {(server["name"], each["index"]): each for server in on for each in server["replicas"]}
    held_mib = {place: held(booked, *place) for place in replicas}

    for model, plan in zip(asked, plans, strict=True):
        placed = [(each["server"], each["serverReplica"]) for each in plan["replicas"]]
        if plan["verdict"] in ("fits", "partly"):
            assert len({server for server, _ in placed}) <= 1, "a model lives on one server"
            assert len(set(placed)) == len(placed), "with one replica on each of its replicas"
        if plan["verdict"] == "partly":
            assert model["minReplicas"] <= plan["placed"] < plan["desired"]
        for place, each in zip(placed, plan["replicas"], strict=True):
            if not each["kept"]:
                room = free(replicas[place], held_mib[place])
                assert each["memory_mib"] == 0 or (room is not None and each["memory_mib"] <= room)
                held_mib[place] += each["memory_mib"]


@given(questions())
def test_a_plan_that_was_carried_out_changes_nothing_the_second_time(question):
    """Stickiness: what was planned and booked is planned again, whatever else is free."""
    model, on, booked = question
    cluster = {"servers": on, "bookings": booked}
    first = bayplan.plan(document(model), cluster)
    gone = {(each["server"], each["serverReplica"], each["version"]) for each in first["removals"]}
    stays = [
        each
        for each in booked
        if each["workload"] != model["name"]
        or (each["server"], each["serverReplica"], each["version"]) not in gone
        or each["state"] not in HERE
    ]
    instances = max([each["instances"] for each in booked if each["workload"] == model["name"]], default=1)
    added = [
        {
            "workload": model["name"],
            "version": first["version"],
            "server": each["server"],
            "serverReplica": each["serverReplica"],
            "memory": each["memory_mib"],
            "state": "available",
            "instances": instances,
        }
        for each in first["replicas"]
        if not each["kept"]
    ]
    assert all(each["state"] in HERE + LEAVING + ["load-failed", "unloaded"] for each in stays)
    again = document({**model, "version": first["version"]})
    second = bayplan.plan(again, {"servers": on, "bookings": [*stays, *added]})

    if first["verdict"] == "fits":
        assert second["verdict"] == "fits"
    if first["verdict"] in ("fits", "partly"):
        places = [{(each["server"], each["serverReplica"]) for each in plan["replicas"]} for plan in (first, second)]
        assert places[0] <= places[1], "a plan may find more room, where something was removed, and gives up none"
        assert not [each for each in second["removals"] if each["reason"] != "old-version"]
