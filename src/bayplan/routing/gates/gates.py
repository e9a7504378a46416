"""The gate that a configuration asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.routing.gates.flow_gate import FlowGate
from bayplan.routing.gates.holding_gate import HoldingGate
from bayplan.routing.gates.open_gate import OpenGate

if TYPE_CHECKING:
    from bayplan.routing.dispatcher import Dispatcher
    from bayplan.routing.gates.gate import Gate
    from bayplan.routing.routing_plan import RoutingPlan


def gate_of(plan: RoutingPlan, dispatcher: Dispatcher) -> Gate:
    """Holding for our own policy where it binds late; flow control where its gate is on; else nothing waits."""
    if plan.own is not None and plan.config.own_policy == "late":
        return HoldingGate(plan.own, plan.config.flow, dispatcher)
    return OpenGate(dispatcher) if plan.config.flow is None else FlowGate(plan.config.flow, dispatcher)
