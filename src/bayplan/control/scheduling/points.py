"""Plugin points around a decision, as users of kube-scheduler know them. Each is a callable or an object of one method.

queue-sort ─► decide ─► reserve ─► permit ─► (victims go, cards are cut) ─► pre-bind ─► bind ─► post-bind
                           │          │ denied, timed out                       │ failed    │ lost race
                           ▼          ▼                                         ▼           ▼
                        unreserve of all that reserved, in reverse order; the unit is tried again
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from typing import Any

    from bayplan.control.scheduling.decision import Decision
    from bayplan.control.scheduling.waiting import Waiting


class DeniedError(Exception):
    """A plugin does not let a decision happen; the text is shown to people as the reason."""


@dataclass(frozen=True, slots=True)
class Allow:
    """The decision may go on."""


@dataclass(frozen=True, slots=True)
class Deny:
    """The decision must not happen."""

    reason: str


@dataclass(frozen=True, slots=True)
class Wait:
    """Ask again after the plugin's `poll_s`; it is denied when `timeout_s` is over since it was asked first."""

    timeout_s: float
    reason: str = ""


@runtime_checkable
class QueueSort(Protocol):
    """The order in which units are tried: the smallest key first."""

    def queue_key(self, waiting: Waiting) -> tuple[Any, ...]: ...


@runtime_checkable
class Reserve(Protocol):
    """Hears that room is reserved, and that it is given back because the decision did not happen."""

    def reserve(self, decision: Decision) -> None:
        """Raise DeniedError to refuse."""
        ...

    def unreserve(self, decision: Decision) -> None: ...


@runtime_checkable
class Permit(Protocol):
    """Lets a reserved decision happen, refuses it, or makes it wait; it is asked again every `poll_s` seconds."""

    poll_s: float

    def permit(self, decision: Decision) -> Allow | Deny | Wait: ...


@runtime_checkable
class PreBind(Protocol):
    """Does what must be done before Pods are bound, such as attaching a volume."""

    async def pre_bind(self, decision: Decision) -> None:
        """Raise DeniedError to refuse."""
        ...


@runtime_checkable
class PostBind(Protocol):
    """Hears that Pods are bound; it can no longer change that."""

    def post_bind(self, decision: Decision) -> None: ...


class Points:
    """The plugins of each point, in the order in which they were given."""

    def __init__(self, plugins: tuple[object, ...] = ()) -> None:
        self.queue_sort = next((each for each in plugins if isinstance(each, QueueSort)), None)
        self.reserve = tuple(each for each in plugins if isinstance(each, Reserve))
        self.permit = tuple(each for each in plugins if isinstance(each, Permit))
        self.pre_bind = tuple(each for each in plugins if isinstance(each, PreBind))
        self.post_bind = tuple(each for each in plugins if isinstance(each, PostBind))
