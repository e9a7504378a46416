"""All parts of a configuration, on their way to the configuration and to its native document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bayplan.framework.config.document import API_VERSION, KIND
from bayplan.framework.config.drafts import Use
from bayplan.framework.config.scheduler_config import SchedulerConfig
from bayplan.routing.config.parsers import used_parsers
from bayplan.routing.config.routing_config import RoutingConfig
from bayplan.routing.defaults import REQUIRED_FILTERS
from bayplan.routing.plugin_kinds import ADMITTER

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bayplan.framework.config.declarations import Declaration, Declarations
    from bayplan.framework.config.drafts import Draft
    from bayplan.framework.config.findings import Findings
    from bayplan.framework.profile import Profile
    from bayplan.routing.config.data_layer import DataLayer
    from bayplan.routing.config.flow_control import FlowControl

SCHEDULER = "routing"


@dataclass(frozen=True, slots=True)
class Parts:
    """What was read, with the entries of `plugins` themselves; nothing in it has a problem."""

    values: Mapping[str, Any]
    gates: Mapping[str, bool]
    plugins: Declarations
    drafts: Sequence[Draft]
    handler: Declaration
    data_layer: DataLayer
    parsers: Sequence[Declaration]
    detector: Declaration
    flow: FlowControl | None

    @property
    def used(self) -> list[Declaration]:
        """The entries that something refers to."""
        uses = [use.plugin for draft in self.drafts for use in draft.uses]
        policies = [] if self.flow is None else self.flow.policies
        return [*uses, self.handler, self.detector, *self.parsers, *policies]

    def config(self, findings: Findings) -> RoutingConfig:
        """The configuration; a part that is left out of use is warned about here."""
        document = self.document()
        made = {each.name: each.plugin for each in self.plugins}
        parsers = used_parsers(self.parsers, findings)
        discovery = self.data_layer.discovery
        on_error = self.values.get("on_plugin_error", "fail")
        warnings = tuple(findings.warnings)
        profiles = self._profiles()
        return RoutingConfig(
            SchedulerConfig(SCHEDULER, profiles, self.handler.plugin, (), on_error, warnings, document),
            made,
            parsers,
            self.detector.plugin,
            {each.name: each.plugin for each in self.plugins.of(ADMITTER)},
            None if self.flow is None else self.flow.made(),
            self.data_layer.made(),
            None if discovery is None else discovery.plugin,
            self.gates,
            warnings,
            self.values.get("own_policy"),
            document,
        )

    def document(self) -> dict[str, Any]:
        """The native form with every default filled in."""
        metadata, own = self.values.get("metadata"), self.values.get("own_policy")
        detector = {"saturationDetector": {"pluginRef": self.detector.name}}
        return {
            "apiVersion": API_VERSION,
            "kind": KIND,
            **({} if metadata is None else {"metadata": dict(metadata)}),
            "scheduler": SCHEDULER,
            **({} if own is None else {"ownPolicy": own}),
            "featureGates": dict(self.gates),
            "plugins": [each.document() for each in self.plugins],
            "profileHandler": {"pluginRef": self.handler.name},
            "schedulingProfiles": [draft.document() for draft in self.drafts],
            "onPluginError": self.values.get("on_plugin_error", "fail"),
            "dataLayer": self.data_layer.document(),
            "flowControl": detector if self.flow is None else self.flow.document(),
            "requestHandler": {"parsers": [{"pluginRef": each.name} for each in self.parsers]},
        }

    def _profiles(self) -> tuple[Profile, ...]:
        """The profiles with the filters that none can do without; documents do not show those."""
        types = [self.plugins.registry.find(name) for name in REQUIRED_FILTERS]
        for draft in self.drafts:
            there = {use.plugin.type for use in draft.uses}
            draft.uses[:0] = [Use(self.plugins.add(each), draft.place) for each in types if each not in there]
        return tuple(draft.profile() for draft in self.drafts)
