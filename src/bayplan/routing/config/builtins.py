"""Every plugin of routing that a configuration may name: around profiles, parsers, policies of flow control."""

from __future__ import annotations

from bayplan.routing import defaults
from bayplan.routing.flow.policies.edf_ordering_policy import EdfOrderingPolicy
from bayplan.routing.flow.policies.fcfs_ordering_policy import FcfsOrderingPolicy
from bayplan.routing.flow.policies.global_strict_fairness_policy import GlobalStrictFairnessPolicy
from bayplan.routing.flow.policies.priority_holdback_policy import PriorityHoldbackPolicy
from bayplan.routing.flow.policies.program_aware_fairness import ProgramAwareFairness
from bayplan.routing.flow.policies.round_robin_fairness_policy import RoundRobinFairnessPolicy
from bayplan.routing.flow.policies.slo_deadline_ordering_policy import SloDeadlineOrderingPolicy
from bayplan.routing.flow.policies.soft_reflective_ceiling_policy import SoftReflectiveCeilingPolicy
from bayplan.routing.flow.policies.static_usage_limit_policy import StaticUsageLimitPolicy
from bayplan.routing.flow.policies.weighted_band_policy import WeightedBandPolicy
from bayplan.routing.requests.parsers.anthropic_parser import AnthropicParser
from bayplan.routing.requests.parsers.openai_parser import OpenaiParser
from bayplan.routing.requests.parsers.passthrough_parser import PassthroughParser
from bayplan.routing.requests.parsers.sglanghttp_parser import SglanghttpParser
from bayplan.routing.requests.parsers.vertexai_parser import VertexaiParser
from bayplan.routing.requests.parsers.vllmgrpc_parser import VllmgrpcParser
from bayplan.routing.requests.parsers.vllmhttp_parser import VllmhttpParser


def builtins() -> tuple[type, ...]:
    """The classes, listed by hand."""
    return (
        *defaults.builtins(),
        OpenaiParser,
        AnthropicParser,
        VllmhttpParser,
        SglanghttpParser,
        VllmgrpcParser,
        VertexaiParser,
        PassthroughParser,
        GlobalStrictFairnessPolicy,
        RoundRobinFairnessPolicy,
        ProgramAwareFairness,
        FcfsOrderingPolicy,
        EdfOrderingPolicy,
        SloDeadlineOrderingPolicy,
        StaticUsageLimitPolicy,
        PriorityHoldbackPolicy,
        SoftReflectiveCeilingPolicy,
        WeightedBandPolicy,
    )
