"""A configuration of routing from plain data: defaults filled in, all problems at once, each with its path and line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from bayplan.framework.config.data_flow import DataFlow
from bayplan.framework.config.declarations import Declarations
from bayplan.framework.config.document import KIND
from bayplan.framework.config.findings import Findings
from bayplan.framework.config.place import Place
from bayplan.framework.config.shapes import BROKEN
from bayplan.framework.schema import Schema
from bayplan.routing.config.absence import without_empty
from bayplan.routing.config.data_layer import read_data_layer
from bayplan.routing.config.document import PICKER_KIND, PROFILE_RULES, native_config, picker_config
from bayplan.routing.config.entries import default_entries, plugin_entries, profile_entries
from bayplan.routing.config.flow_control import (
    check_flow_control,
    find_detector,
    read_flow_control,
    warn_of_closed_gate,
)
from bayplan.routing.config.handler import check_handler, find_handler
from bayplan.routing.config.links import check_references, connect, pull_in
from bayplan.routing.config.old_fields import read_old_detector, warn_of_old
from bayplan.routing.config.old_parameters import add_moved, modern_entries
from bayplan.routing.config.own_policy import check_own_policy
from bayplan.routing.config.parsers import find_parsers
from bayplan.routing.config.parts import Parts
from bayplan.routing.config.profiles import read_profiles
from bayplan.routing.config.shapes import GATES
from bayplan.routing.config.unused import warn_of_unused
from bayplan.routing.endpoints.columns import STATE, STATIC

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bayplan.framework.config.declarations import Declaration
    from bayplan.framework.config.drafts import Draft
    from bayplan.framework.registry import Registry
    from bayplan.routing.config.routing_config import RoutingConfig

COLUMNS: Final = Schema(static=frozenset(STATIC), state=frozenset(STATE))
"""The columns of the table of endpoints."""


def is_routing(document: Any) -> bool:
    """Whether a document is a configuration of routing, in llm-d's form or in our own."""
    if not isinstance(document, Mapping):
        return False
    return document.get("kind") == PICKER_KIND or document.get("scheduler") == "routing"


def read_routing_config(
    document: Any, registry: Registry, *, line: Callable[[str], int | None] | None = None
) -> RoutingConfig:
    """The configuration, or ConfigError with all its problems; `line` says on which line a path stands."""
    return _Reader(registry, Findings(line)).read(document)


class _Reader:
    """One pass over one document."""

    def __init__(self, registry: Registry, findings: Findings) -> None:
        self.findings = findings
        self.plugins = Declarations(registry)
        self.old_detector: Declaration | None = None

    def read(self, document: Any) -> RoutingConfig:
        kind = PICKER_KIND if isinstance(document, Mapping) and document.get("kind") == PICKER_KIND else KIND
        values, profiles = self._values(document, native_config if kind == KIND else picker_config)
        drafts: list[Draft] = []
        if profiles is not BROKEN:
            drafts = read_profiles(profiles, self.plugins, self.findings, PROFILE_RULES[kind])
        handler = self._handler(values, drafts)
        check_references(self.plugins, self.findings)
        pull_in(self.plugins, self.findings)
        check_own_policy(values.get("own_policy"), self.plugins, self.findings)
        if isinstance(flow := values.get("flow"), Mapping):
            check_flow_control(flow, self.findings)
        if handler is None or self.findings.problems:
            raise self.findings.error()
        return self._filled(values, drafts, handler)

    def _values(self, document: Any, record: Callable[..., Any]) -> tuple[Mapping[str, Any], Any]:
        """The document's values, with the entries that references mean, and the entries of its profiles."""
        tidy = without_empty(record(), document)
        plugins, profiles = None, None
        if isinstance(tidy, Mapping):
            plugins, profiles = tidy.get("plugins"), tidy.get("schedulingProfiles")
            if plugins is None and profiles is None:
                plugins, profiles = default_entries(own_policy="ownPolicy" in tidy)
            self._declare(plugin_entries(plugins or (), self.plugins.registry))
            self.old_detector = read_old_detector(tidy.get("saturationDetector"), self.plugins, self.findings)
        values = record(self.plugins).values(tidy, Place(), self.findings)
        if values is BROKEN:
            raise self.findings.error()
        return values, _listed(profile_entries(profiles or ()))

    def _declare(self, entries: Any) -> None:
        if not isinstance(entries, list | tuple):
            self.plugins.read(BROKEN, self.findings)
            return
        modern, moved = modern_entries(entries, self.findings)
        self.plugins.read(modern, self.findings)
        add_moved(moved, self.plugins, self.findings)

    def _handler(self, values: Mapping[str, Any], drafts: Sequence[Draft]) -> Declaration | None:
        named = values.get("profile_handler")
        if named is BROKEN:
            return None
        handler = find_handler(named and named["plugin_ref"], drafts, self.plugins, self.findings)
        if handler is not None and drafts:
            check_handler(handler, drafts, self.findings)
        return handler

    def _filled(self, values: Mapping[str, Any], drafts: list[Draft], handler: Declaration) -> RoutingConfig:
        """The configuration of a document without problems."""
        plugins, findings = self.plugins, self.findings
        gates = {**GATES, **values.get("gates", {})}
        warn_of_old(values, findings)
        section = values.get("flow", {})
        data_layer = read_data_layer(values.get("data_layer") or values.get("old_data_layer", {}), plugins, findings)
        parsers = find_parsers(values, plugins)
        detector = find_detector(section, self.old_detector, plugins)
        flow = read_flow_control(section, detector, plugins) if gates["flowControl"] else None
        if flow is None:
            warn_of_closed_gate(section, findings)
        pull_in(plugins, findings)
        self._follow_data(drafts)
        parts = Parts(values, gates, plugins, drafts, handler, data_layer, parsers, detector, flow)
        warn_of_unused(parts, findings)
        return parts.config(findings)

    def _follow_data(self, drafts: Sequence[Draft]) -> None:
        """Connect the plugins, and give each profile the producers of the columns that it reads."""
        connect(self.plugins, drafts)
        flow = DataFlow(self.plugins, self.findings)
        for draft in drafts:
            flow.give_producers(draft, COLUMNS)
        if self.findings.problems:
            raise self.findings.error()


def _listed(entries: Any) -> Any:
    """The entries; BROKEN for what is no list, which is refused with the other fields."""
    return entries if isinstance(entries, list | tuple) else BROKEN
