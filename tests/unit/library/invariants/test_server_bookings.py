"""Memory of server replicas, and one server for a model."""

import pytest

from bayplan.library.invariants.checks import check_invariants


def row(name, *models, memory=200, overcommit=0):
    server, index = name.rsplit("-", 1)
    spec = {"server": server, "index": int(index), "memory": memory, "overcommitPercent": overcommit}
    booked = [
        {"model": model, "version": 1, "name": f"{model}_1", "memory": mib, "state": state}
        for model, mib, state in models
    ]
    metadata = {"name": name, "namespace": "default"}
    return {"kind": "ServerReplica", "metadata": metadata, "spec": {**spec, "models": booked}}


CASES = {
    "what fits": ([row("a-0", ("x", 200, "available"))], {}),
    "more than there is": ([row("a-0", ("x", 150, "available"), ("y", 51, "draining"))], {"I1": "hold 201 MiB"}),
    "as far as overcommitment goes": ([row("a-0", ("x", 150, "available"), ("y", 70, "loaded"), overcommit=10)], {}),
    "a failed load holds nothing": ([row("a-0", ("x", 150, "available"), ("y", 150, "load-failed"))], {}),
    "two servers": ([row("a-0", ("x", 1, "available")), row("b-0", ("x", 1, "load-requested"))], {"I2": "a, b"}),
    "a move": ([row("a-0", ("x", 1, "draining")), row("b-0", ("x", 1, "load-requested"))], {}),
    "two replicas of a server": ([row("a-0", ("x", 1, "available")), row("a-1", ("x", 1, "available"))], {}),
    "twice on a replica": ([row("a-0", ("x", 1, "available"), ("x", 1, "available"))], {"I2": "twice"}),
    "what cannot be read": ([row("a-0", ("x", 1, "sleeping"))], {"I1": "cannot be read"}),
}


@pytest.mark.parametrize("case", CASES)
def test_bookings(case):
    objects, expected = CASES[case]
    found = {each["id"]: each["violations"] for each in check_invariants(objects)["invariants"] if each["violations"]}
    assert found.keys() == expected.keys()
    for number, text in expected.items():
        assert text in found[number][0]
