"""Models onto servers: placing many, one more, and those of a replica that fails; next to plain Python objects."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bayplan.cluster.identity import WorkloadKey
from bayplan.library.planner import inventory_of
from bayplan.library.serving.serving_planner import serving_planner
from bayplan.serving.following.serving_state import ServingState
from bayplan.serving.served_model import ServedModel
from bench.measure import Row, interleaved

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bench.measure import Work

MODELS, SERVERS, REPLICAS = 10_000, 50, 10
ROUNDS = 3
ONE_MORE = 200
MEMORY_MIB, MODEL_MIB = 16_384, 64
KINDS = ("sklearn", "xgboost", "onnx", "python")
PLACED_PER_S, ONE_MORE_MS, FAILING_MS = 5_000.0, 1.0, 100.0


def rows(
    say: Callable[[str], None], *, models: int = MODELS, servers: int = SERVERS, replicas: int = REPLICAS
) -> Iterator[Row]:
    """All figures of this suite, through what the running system calls for each event."""
    say(f"{models} models on {servers * replicas} server replicas")
    wanted = [_model(number) for number in range(models + 1)]

    def ours(work: Callable[[ServingState], None], *, full: bool) -> Callable[[], Work]:
        def prepared() -> Work:
            state = _state(servers, replicas)
            if full:
                _place(state, wanted[:models])
            return lambda: work(state)

        return prepared

    def plain(work: Callable[[list[_Server]], None], *, full: bool) -> Callable[[], Work]:
        def prepared() -> Work:
            known = _plain_servers(servers, replicas)
            if full:
                _plain_place(known, wanted[:models])
            return lambda: work(known)

        return prepared

    taken = interleaved(
        {
            "ours": ours(lambda state: _place(state, wanted[:models]), full=False),
            "plain": plain(lambda known: _plain_place(known, wanted[:models]), full=False),
        },
        ROUNDS,
    )
    size = f"{models}/{servers * replicas}"
    baseline = models / taken["plain"]
    yield Row(f"serving/place-all/{size}", models / taken["ours"], "models/s", PLACED_PER_S, ">=", baseline)
    taken = interleaved(
        {
            "ours": ours(lambda state: _more_and_less(state, wanted[-1]), full=True),
            "plain": plain(lambda known: _plain_more_and_less(known, wanted[-1]), full=True),
        },
        ROUNDS,
    )
    each_ms = {name: seconds / ONE_MORE * 1e3 for name, seconds in taken.items()}
    yield Row(f"serving/one-more/{size}", each_ms["ours"], "ms", ONE_MORE_MS, "<=", each_ms["plain"])
    taken = interleaved(
        {"ours": ours(_fail, full=True), "plain": plain(_plain_fail, full=True)},
        ROUNDS,
    )
    yield Row(f"serving/replica-fails/{size}", taken["ours"] * 1e3, "ms", FAILING_MS, "<=", taken["plain"] * 1e3)


def _model(number: int) -> ServedModel:
    requirements = (KINDS[number % len(KINDS)],)
    return ServedModel(WorkloadKey("default", f"model-{number}"), 1, requirements=requirements, memory_mib=MODEL_MIB)


def _state(servers: int, replicas: int) -> ServingState:
    named = [
        {"name": f"s{number}", "capabilities": list(KINDS), "memory": f"{MEMORY_MIB}Mi", "replicas": replicas}
        for number in range(servers)
    ]
    return ServingState(serving_planner(inventory_of({"servers": named}).cluster))


def _place(state: ServingState, models: list[ServedModel]) -> None:
    for each in models:
        if len(state.apply(each)) != each.replicas:
            raise AssertionError(f"{each.key} finds no place, which is another benchmark")


def _more_and_less(state: ServingState, model: ServedModel) -> None:
    """One more model, and it goes again, many times: two events each, of which the dearer one is the first."""
    for _ in range(ONE_MORE):
        (load,) = state.apply(model)
        state.loaded(model.key, load.server, load.replica)
        state.delete(model.key)
        state.unloaded(model.key, load.server, load.replica)


def _fail(state: ServingState) -> None:
    held = len(state.ledger.replica("s0", 0).models)
    if not held or len(state.replica_down("s0", 0)) != held:
        raise AssertionError("the models of the replica find no other place")


@dataclass(slots=True)
class _Replica:
    index: int
    free_mib: int = MEMORY_MIB
    models: dict[WorkloadKey, ServedModel] = field(default_factory=dict)


@dataclass(slots=True)
class _Server:
    name: str
    capabilities: frozenset[str]
    replicas: list[_Replica]


def _plain_servers(servers: int, replicas: int) -> list[_Server]:
    return [_Server(f"s{n}", frozenset(KINDS), [_Replica(i) for i in range(replicas)]) for n in range(servers)]


def _plain_place(servers: list[_Server], models: list[ServedModel]) -> None:
    for model in models:
        _plain_choice(servers, model)


def _plain_choice(servers: list[_Server], model: ServedModel) -> _Replica:
    """As one writes it first: look at every server and replica, sort what fits, take the best."""
    fitting: list[tuple[Any, ...]] = []
    for server in servers:
        if not server.capabilities.issuperset(model.requirements):
            continue
        able = sorted(
            (each for each in server.replicas if each.free_mib >= model.memory_mib),
            key=lambda each: (-each.free_mib, each.index),
        )
        if len(able) >= model.replicas:
            given = able[: model.replicas]
            fitting.append((-sum(each.free_mib for each in given), server.name, given))
    taken: list[_Replica] = min(fitting, key=lambda each: each[:2])[2]
    for replica in taken:
        replica.free_mib -= model.memory_mib
        replica.models[model.key] = model
    return taken[0]


def _plain_more_and_less(servers: list[_Server], model: ServedModel) -> None:
    for _ in range(ONE_MORE):
        replica = _plain_choice(servers, model)
        del replica.models[model.key]
        replica.free_mib += model.memory_mib


def _plain_fail(servers: list[_Server]) -> None:
    gone = servers[0].replicas.pop(0)
    _plain_place(servers, list(gone.models.values()))
