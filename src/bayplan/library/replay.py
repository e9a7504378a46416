"""A recorded decision, made again from its record alone: equal inputs, seed and time give an equal plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.framework.errors import BayplanError, InputError
from bayplan.library.documents import documents_of
from bayplan.library.exact_json import from_json
from bayplan.library.mix_json import mix_from_json
from bayplan.library.planner import placement_config
from bayplan.manifests.inventory.inventory import read_inventory
from bayplan.placement.answers.plan_document import plan_document
from bayplan.placement.asks.sized_workload import SizedWorkload
from bayplan.placement.decision.followed_cluster import FollowedCluster, change_between
from bayplan.placement.packing.mix import ENOUGH
from bayplan.placement.planning.planner import Planner

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.cluster.cluster import Cluster
    from bayplan.library.planner import PlacementConfig

_NUMBERED = ("revision",)  # counts the changes of one process; another one counts anew
_MOST_SHOWN = 20


def replay(record: Mapping[str, Any]) -> dict[str, Any]:
    """`{kind: Replay, id, same, differences, plan}`; InputError where the record does not hold its inputs."""
    inputs, recorded = record.get("inputs"), record.get("plan")
    if record.get("kind") != "Record" or not isinstance(recorded, dict):
        raise InputError(
            "this is no record of a decision", place="record", next="export one: bayplan records ID -o json"
        )
    if not isinstance(inputs, dict):
        message = "it holds no inputs, because the cluster of that moment is no longer known"
        raise InputError(message, place=f"record {record.get('id')}", next="export records soon after the decision")
    try:
        made = _made(record, inputs)
    except BayplanError:
        raise
    except Exception as error:  # a record may hold anything: it is a file that somebody hands in
        message = f"what it holds cannot be planned with ({type(error).__name__}): somebody changed it"
        following = "export it again, or replay it with the version that recorded it"
        raise InputError(message, place=f"record {record.get('id')}", next=following) from error
    differences = list(_differences(recorded, made))
    return {
        "kind": "Replay",
        "id": record.get("id"),
        "same": not differences,
        "differences": differences[:_MOST_SHOWN],
        "plan": made,
    }


def _made(record: Mapping[str, Any], inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The plan that the inputs of a record lead to."""
    sized = from_json(inputs.get("workload"))
    if not isinstance(sized, SizedWorkload):
        raise InputError("is no workload", place="record.inputs.workload", next="export the record anew")
    read = placement_config(inputs.get("config"))
    cluster = _cluster(inputs.get("cluster"), "record.inputs.cluster")
    outlook = inputs.get("outlook")
    if outlook is None:
        state = FollowedCluster(cluster, read.profiles, skip_broken=read.skip_broken)
    else:
        state = _looking_ahead(outlook, read, cluster)
    state.begin(record["seed"], record["now"], ahead=False)
    planner = Planner.on(state)
    plan = planner.plan(sized, preempting=bool(inputs.get("preempting")))
    return plan_document(plan, planner, plan.seed)


def _cluster(document: Any, place: str) -> Cluster:
    return read_inventory(documents_of(document, place)).cluster


def _looking_ahead(outlook: Mapping[str, Any], config: PlacementConfig, cluster: Cluster) -> FollowedCluster:
    """The state of the decision, with the outlook that was made on an earlier one."""
    then = _cluster(outlook.get("cluster"), "record.inputs.outlook.cluster")
    mix = mix_from_json(outlook.get("mix"))
    state = FollowedCluster(then, config.profiles, skip_broken=config.skip_broken, mix=mix)
    if state.strategies.foresight is not None:
        state.strategies.foresight.look_as_of(int(outlook["epoch"]))
    mix.seen = max(mix.seen, ENOUGH)  # by the time of the decision enough had been seen, or no outlook were recorded
    state.apply(change_between(then, cluster))
    return state


def _differences(recorded: Any, made: Any, path: str = "plan") -> list[dict[str, Any]]:
    """Every place where two documents differ, with both values."""
    if isinstance(recorded, dict) and isinstance(made, dict):
        found: list[dict[str, Any]] = []
        for key in dict.fromkeys((*recorded, *made)):
            if key not in _NUMBERED:
                found += _differences(recorded.get(key), made.get(key), f"{path}.{key}")
        return found
    if isinstance(recorded, list) and isinstance(made, list) and len(recorded) == len(made):
        pairs = enumerate(zip(recorded, made, strict=True))
        return [each for number, pair in pairs for each in _differences(*pair, f"{path}[{number}]")]
    return [] if recorded == made else [{"place": path, "recorded": recorded, "made": made}]
