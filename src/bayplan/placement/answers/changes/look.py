"""What the kinds of change look at: a workload that does not fit, part by part, and its cluster."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from bayplan.placement.answers.changes.case import Case, with_shape
from bayplan.placement.answers.changes.ladder import Ladder

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bayplan.cluster.worker import Worker
    from bayplan.cluster.workload import GpuRequest, Shape
    from bayplan.placement.answers.changes.case import Resize
    from bayplan.placement.answers.changes.oracle import Oracle
    from bayplan.placement.asks.sized_workload import SizedRole, SizedWorkload
    from bayplan.placement.planning.plan import Plan, Verdict
    from bayplan.placement.planning.planner import Planner


@dataclass(frozen=True, slots=True, eq=False)
class ExaminedRole:
    """The members of one shape: a role, or the whole workload."""

    number: int
    role: str | None
    replicas: int
    sized: SizedRole
    resize: Resize

    @property
    def shape(self) -> Shape:
        return self.sized.shape

    @property
    def gpus(self) -> GpuRequest | None:
        return self.sized.shape.gpus

    def field(self, name: str) -> str:
        """The place of a field in the workload's spec."""
        return name if self.role is None else f"roles[{self.number}].{name}"

    def sentence(self, text: str) -> str:
        """The sentence, with the role that it is about."""
        return text if self.role is None else f"role {self.role}: {text}"

    def edited(self, case: Case, edit: Callable[[Shape], Shape]) -> Case:
        """The case with another shape for these members; a model is sized anew."""
        shape = edit(case.sized.roles[self.number].shape)
        return replace(case, sized=with_shape(case.sized, self.number, self.resize(shape)))

    def ladder(
        self,
        change: str,
        name: str,
        before: Any,
        steps: Sequence[Any],
        edit: Callable[[Shape, Any], Shape],
        told: Callable[[Any, Plan], str],
        **others: Any,
    ) -> Ladder:
        """A ladder of other shapes; `edit` gives the shape of a step."""
        return Ladder(
            change=change,
            field=self.field(name),
            before=before,
            steps=steps,
            apply=lambda case, step: self.edited(case, lambda shape: edit(shape, step)),
            told=lambda step, plan: self.sentence(told(step, plan)),
            **others,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """A workload, what was said of it, and whom to ask about others like it."""

    planner: Planner
    sized: SizedWorkload
    verdict: Verdict
    resize: Resize
    oracle: Oracle

    @property
    def case(self) -> Case:
        """How things are."""
        return Case(self.sized)

    @property
    def workers(self) -> Sequence[Worker]:
        return self.planner.state.cluster.workers

    @property
    def parts(self) -> tuple[ExaminedRole, ...]:
        return tuple(
            ExaminedRole(number, role.name, role.replicas, role, self.resize)
            for number, role in enumerate(self.sized.roles)
        )

    @property
    def booked(self) -> int:
        """Replicas that the workload has already."""
        return len({booking.replica for booking in self.planner.state.ledger.held_by_workload(self.sized.workload.key)})
