"""The document of a plan has the fields of the contract."""

from bayplan.serving.answers.plan_document import plan_document
from unit.serving.builders import booking, model, planner, server


def document(servers, bookings=(), **fields):
    return plan_document(planner(servers, bookings).plan(model(**fields)), ("odd",))


def test_a_plan_that_fits():
    found = document([server("a", 2)], [booking(place="a/1"), booking("wine", "a/0")], replicas=2)

    assert {key: found[key] for key in ("kind", "scheduler", "workload", "version", "verdict", "server", "placed")} == {
        "kind": "Plan", "scheduler": "serving", "workload": "iris", "version": 1, "verdict": "fits", "server": "a",
        "placed": 2,
    }  # fmt: skip
    assert found["replicas"] == [
        {"server": "a", "serverReplica": 1, "memory_mib": 10, "kept": True},
        {"server": "a", "serverReplica": 0, "memory_mib": 10, "kept": False},
    ]
    assert (found["rejections"], found["removals"], found["scale_up"], found["warnings"]) == ([], [], None, ["odd"])
    assert found["status"]["state"] == "ModelProgressing"


def test_a_plan_that_is_refused():
    found = document([server("a", 1, min_replicas=1, max_replicas=3)], replicas=2)

    assert (found["verdict"], found["desired"], found["minimum"], found["placed"]) == ("infeasible", 2, 2, 0)
    assert found["scale_up"] == {"server": "a", "replicas": 2}
    assert found["rejections"] == [
        {
            "server": "a", "serverReplica": None, "code": "replicas-short", "filter": "replicas-short", "needed": 2,
            "free": 1, "short": 1, "unit": "replicas", "missing": None, "curable": False,
            "message": "1 of 2 wanted replicas fit",
        }
    ]  # fmt: skip


def test_what_a_code_does_not_name_is_null():
    found = document([server("a", 1, capabilities=("onnx",))])["rejections"][-1]

    assert (found["missing"], found["needed"], found["unit"]) == (["sklearn"], None, None)


def test_removals():
    (found,) = document([server("a", 2)], [booking(version=1), booking(version=2, place="a/1")])["removals"]

    assert found == {"server": "a", "serverReplica": 0, "version": 1, "reason": "old-version"}
