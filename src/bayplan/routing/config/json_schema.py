"""The JSON Schema of routing's configurations, for editors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.framework.config.document import KIND
from bayplan.framework.config.json_schema import DIALECT, definitions, plugin_schema, profile_schema
from bayplan.routing.config.document import PICKER_KIND, PROFILE_RULES, native_config, picker_config

if TYPE_CHECKING:
    from bayplan.framework.registry import Registry


def routing_schema(registry: Registry, kind: str = KIND) -> dict[str, Any]:
    """What the reader asks of each value of an EndpointPickerConfig, or of our SchedulerConfig, by itself."""
    record = picker_config() if kind == PICKER_KIND else native_config()
    schema = record.schema()
    fields, rules = schema["properties"], PROFILE_RULES[kind]
    fields["plugins"] |= {"items": plugin_schema(registry)}
    fields["schedulingProfiles"] |= {"items": profile_schema(rules.profile, rules.reference)}
    required = ["apiVersion", "kind"] if kind == PICKER_KIND else ["scheduler"]
    return {"$schema": DIALECT, "title": kind, **schema, "required": required, "$defs": definitions(registry)}
