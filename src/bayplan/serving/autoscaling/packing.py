"""Whether the models of a server would fit on fewer replicas."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from bayplan.cluster.serving_booking import LoadState

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from bayplan.cluster.identity import WorkloadKey
    from bayplan.serving.books.model_replica import ModelReplica
    from bayplan.serving.books.server_book import ReplicaBook, ServerBook
    from bayplan.serving.planning.model_plan import ModelPlan

    Plans = Mapping[WorkloadKey, ModelPlan]


class Move(NamedTuple):
    """A booking that has to go to another replica; `replica` is the index of its own. The smallest moves first."""

    negative_need_mib: int
    name: str
    namespace: str
    replica: int
    requirements: frozenset[str]

    @property
    def key(self) -> tuple[str, str]:
        return self.namespace, self.name


def smallest_packing(book: ServerBook, plans: Plans, low: int, below: int) -> int | None:
    """The smallest number of replicas, fewer than `below`, on which all models of the server find a place."""
    staying = list(book.staying.values())
    here = {model.key for each in staying for model in each.models if model.here}
    wanted = [plan.model.replicas for key, plan in plans.items() if key in here]
    for number in range(max(low, *wanted, 1), below):
        if _is_valid(staying[:number], staying[number:], plans):
            return number
    return None


def _is_valid(staying: list[ReplicaBook], going: list[ReplicaBook], plans: Plans) -> bool:
    moves = _moves(going, plans)
    return moves is not None and _fit(staying, sorted(moves, key=lambda move: move[:-1]))


def _moves(going: Iterable[ReplicaBook], plans: Plans) -> list[Move] | None:
    """What has to move away; None where something cannot move: it still serves, or its server loads it by itself."""
    moves = []
    for book in going:
        for model in book.models:
            if model.state is LoadState.DRAINING:
                return None
            if model.here:
                move = _move(model, book, plans)
                if move is None:
                    return None
                moves.append(move)
    return moves


def _move(model: ModelReplica, book: ReplicaBook, plans: Plans) -> Move | None:
    """The need and requirements of a model of the call, in its version; of all others what their replica tells."""
    plan = plans.get(model.key)
    need_mib, requirements = model.memory_mib, frozenset(book.replica.capabilities)
    if plan is not None and plan.version == model.version:
        if plan.model.preloaded:
            return None
        need_mib, requirements = plan.holdings.need_mib, frozenset(plan.model.all_requirements)
    return Move(-need_mib, model.key.name, model.key.namespace, model.index, requirements)


def _fit(staying: list[ReplicaBook], moves: Iterable[Move]) -> bool:
    free_mib = [each.free_mib for each in staying]
    held_mib = [each.held_mib for each in staying]
    there = [{(model.key.namespace, model.key.name) for model in each.models} for each in staying]
    offers = [frozenset(each.replica.capabilities) for each in staying]
    for move in moves:
        need_mib = -move.negative_need_mib
        able = [
            place
            for place, known in enumerate(there)
            if move.key not in known
            and move.requirements <= offers[place]
            and (not need_mib or (free_mib[place] or 0) >= need_mib)
        ]
        if not able:
            return False
        best = max(able, key=lambda place: (free_mib[place] or 0, -place))
        there[best].add(move.key)
        held_mib[best] += need_mib
        free_mib[best] = staying[best].free_with(held_mib[best])
    return True
