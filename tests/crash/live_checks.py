"""What a restarted server must say: its ledger is the sum of what is bound, and when all is quiet, all is as asked."""

import json
import time
from collections import Counter

from bayplan.control.scheduling.units import is_pending, unit_of
from bayplan.manifests.marks import BOOKING, SHARD
from crash.pod_lives import ENDED
from crash.system_oracle import JUDGED, broken
from crash.wishes import PATHS, REPLICAS, replicas_of

PATIENCE_S = 30.0  # for agreement and for quiet; a loaded machine needs a part of it
_SETS = "/apis/apps/v1/namespaces/default/replicasets"
_SCALED = {kind: PATHS[kind] for kind in REPLICAS}


def check_start(connection):
    """Soon after a start, while loops may be at work."""
    return [*_doctor(connection), *_until_right(lambda: _ledger(connection))]


def _doctor(connection):
    found = connection.get("/v1/doctor")
    return [*broken(found, JUDGED), *found["store"]["problems"], *found["cluster"]["problems"]]


def _ledger(connection):
    """The ledger against the annotations of all Pods that hold something."""
    kept = Counter(_held(each, each["worker"]) for each in connection.get("/v1/ledger")["bookings"])
    pods = [each for each in connection.get("/api/v1/pods")["items"] if _holds(each)]
    bound = Counter(
        _held(json.loads(each["metadata"]["annotations"][BOOKING]), each["spec"]["nodeName"]) for each in pods
    )
    yield from (f"I13: {each} is bound, and not in the ledger" for each in bound - kept)
    yield from (f"I13: {each} is in the ledger, and not bound" for each in kept - bound)


def _holds(pod):
    return bool(pod["spec"].get("nodeName")) and pod["status"].get("phase") not in ENDED


def _held(booking, worker):
    cards = tuple(sorted(each["index"] for each in booking.get("gpus") or ()))
    return booking["workload"], booking.get("replica", 0), worker, cards


def _until_right(check):
    """The problems that stay: two questions see two moments."""
    until = time.monotonic() + PATIENCE_S
    while next(check(), None) is not None:
        if time.monotonic() > until:
            return list(check())
        time.sleep(0.05)
    return []


def check_quiet(connection):
    """When nobody asks for anything any more: before long all is as asked."""
    return [*_until_right(lambda: _settled(connection)), *_doctor(connection)]


def _settled(connection):
    pods = connection.get("/api/v1/pods")["items"]
    yield from (f"Pod {each['metadata']['name']} is still on its way" for each in pods if _moves(each))
    yield from _left_over(pods)
    yield from _counts(connection, pods)
    yield from _ledger(connection)
    yield from _plans(connection, pods)


def _moves(pod):
    if "deletionTimestamp" in pod["metadata"]:
        return True
    return bool(pod["spec"].get("nodeName")) and pod["status"].get("phase", "Pending") == "Pending"


def _left_over(pods):
    """Further parts of a replica over several workers that nothing will bind; one that waits will use them."""
    waiting = {each["metadata"]["name"] for each in pods if is_pending(each)}
    for each in pods:
        first = (each["metadata"].get("labels") or {}).get(SHARD)
        if first and not each["spec"].get("nodeName") and first not in waiting:
            yield f"Pod {each['metadata']['name']} is left over from a decision about {first}"


def _counts(connection, pods):
    """Every object has as many Pods as it wants, and every Pod has its owner."""
    live = [each for each in pods if each["status"].get("phase") not in ENDED]
    owned = Counter(_controller(each) for each in live)
    sets = connection.get(_SETS)["items"]
    for each in sets:
        owned[_controller(each)] += owned[each["metadata"]["uid"]]
    for kind, path in _SCALED.items():
        for each in connection.get(path)["items"]:
            wanted, found = replicas_of({**each, "kind": kind}), owned[each["metadata"]["uid"]]
            if wanted != found:
                yield f"{kind} {each['metadata']['name']}: wants {wanted} Pods, has {found}"


def _controller(document):
    owners = document["metadata"].get("ownerReferences") or ()
    return next((each["uid"] for each in owners if each.get("controller")), "")


def _plans(connection, pods):
    """Nothing that waits would fit."""
    queue = {(each["kind"], each["workload"]): each for each in connection.get("/v1/queue")["items"]}
    if any(each["reservation"] for each in queue.values()):
        return  # what waits may have to leave room for others
    for unit in {unit_of(each) for each in pods if is_pending(each)}:
        documents = _documents(connection, unit, pods)
        code, plan = connection.ask("POST", "/v1/plan", {"workloads": documents})
        if code != 200:
            yield f"{unit}: the plan of what waits is refused: {plan}"
            continue
        found = plan["items"] if plan["kind"] == "PlanList" else [plan]
        if any(each["placed"] for each in found):
            waits = queue.get((str(unit.collection), unit.name))
            yield f"{unit}: waits, but a plan places {[each['placed'] for each in found]}: {waits}"


def _documents(connection, unit, pods):
    """What a user would plan to learn whether the unit fits."""
    plural = unit.collection.plural
    if plural in ("pods", "podgroups"):
        members = [{"apiVersion": "v1", "kind": "Pod", **each} for each in pods if unit_of(each) == unit]
        code, group = connection.ask("GET", f"{PATHS['PodGroup']}/{unit.name}")
        return [group, *members] if code == 200 and plural == "podgroups" else members
    if plural == "replicasets":
        (owner,) = connection.get(f"{_SETS}/{unit.name}")["metadata"]["ownerReferences"]
        return [connection.get(f"{PATHS['Deployment']}/{owner['name']}")]
    path = next(each for each in PATHS.values() if each.endswith(f"/{plural}"))
    classes = [connection.get(f"{PATHS['AgentClass']}/class")] if plural == "agentpools" else []
    return [connection.get(f"{path}/{unit.name}"), *classes]
