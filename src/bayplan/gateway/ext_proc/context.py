"""What all streams of a picker share."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING

from bayplan.gateway.ext_proc.answer_replies import AnswerReplies
from bayplan.gateway.ext_proc.body_mode import DUPLEX, Modes
from bayplan.gateway.ext_proc.body_room import BodyRoom

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bayplan.gateway.relay.local_desk import LocalDesk
    from bayplan.telemetry.routing_metrics import RoutingMetrics


@dataclass(slots=True)
class Context:
    """The desk, the replies that repeat, and room for bodies.

    `modes` hold for gateways that do not tell theirs. `ids` are names of requests at the router: two clients may send
    the same `x-request-id`. With `asks_notes` a gateway is asked to tell the first token of streams whose answers do
    not come here; `noted` are those requests by their ids.
    """

    desk: LocalDesk
    metrics: RoutingMetrics
    replies: AnswerReplies = field(default_factory=AnswerReplies)
    room: BodyRoom = field(default_factory=BodyRoom)
    modes: Modes = DUPLEX
    asks_notes: bool = False
    ids: Iterator[int] = field(default_factory=lambda: count(1))
    noted: dict[str, Callable[[], None]] = field(default_factory=dict)
