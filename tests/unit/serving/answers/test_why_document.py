"""The document that explains every server and replica."""

from bayplan.serving.answers.why_document import why_document
from unit.serving.builders import booking, model, planner, replica, server


def test_servers_and_replicas():
    made = planner([server("a", [replica(0, 5), replica(1)]), server("b", 0)], [booking(place="a/1")])
    plan = made.plan(model(replicas=1))
    found = why_document(plan, made.refusals(plan.model, plan.holdings), made.ledger, ())

    assert (found["kind"], found["verdict"], found["workers"]) == ("Why", "fits", [])
    first, second = found["servers"]
    assert (first["server"], first["feasible"], first["rejections"]) == ("a", True, [])
    assert [
        (each["serverReplica"], each["feasible"], each["kept"], each["free_mib"]) for each in first["replicas"]
    ] == [
        (0, False, False, 5),
        (1, True, True, 90),
    ]
    assert (second["feasible"], second["replicas"]) == (False, [])
    assert [each["code"] for each in second["rejections"]] == ["no-replicas"]


def test_a_server_with_the_minimum_is_feasible():
    made = planner([server("a", 1)])
    plan = made.plan(model(replicas=3, minimum=1))
    found = why_document(plan, plan.refusals, made.ledger, ("odd",))

    assert (found["servers"][0]["feasible"], found["verdict"], found["warnings"]) == (True, "partly", ["odd"])
