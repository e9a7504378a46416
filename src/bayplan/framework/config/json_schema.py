"""The JSON Schema of a SchedulerConfig, for editors: fields, plugin types, and what each type can be told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.framework.config.document import CONFIG, HANDLER, PLUGIN, PROFILE, REFERENCE

if TYPE_CHECKING:
    from collections.abc import Collection

    from bayplan.framework.config.shapes import Record
    from bayplan.framework.registry import PluginType, Registry

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def config_schema(registry: Registry, *, schedulers: Collection[str] = ()) -> dict[str, Any]:
    """What the reader asks of each value by itself; what values ask of each other only the reader can say."""
    schema = CONFIG.schema()
    fields = schema["properties"]
    fields["plugins"] |= {"items": plugin_schema(registry)}
    fields["profileHandler"]["anyOf"] = [HANDLER.schema(), {"type": "null"}]
    fields["schedulingProfiles"] |= {"items": profile_schema(PROFILE, REFERENCE), "minItems": 1}
    if schedulers:
        fields["scheduler"] = {"enum": sorted(schedulers), "description": fields["scheduler"]["description"]}
    required = [*(("scheduler",) if schedulers else ()), "plugins", "schedulingProfiles"]
    return {
        "$schema": DIALECT,
        "title": "SchedulerConfig",
        **schema,
        "required": required,
        "$defs": definitions(registry),
    }


def definitions(registry: Registry) -> dict[str, Any]:
    """The parameters of each type of plugin, to which its entries refer."""
    return {each.name: _parameters(each) for each in registry}


def plugin_schema(registry: Registry) -> dict[str, Any]:
    """One entry of `plugins`."""
    schema = PLUGIN.schema()
    names = [name for each in registry for name in each.names]
    schema["properties"]["type"] |= {"enum": sorted(names)}
    schema["allOf"] = [_told(each) for each in registry]
    return schema


def _told(type_: PluginType) -> dict[str, Any]:
    """If it is of this type, then these are its parameters."""
    chosen = {"properties": {"type": {"enum": list(type_.names)}}, "required": ["type"]}
    reference = {"$ref": f"#/$defs/{type_.name}"}
    if any(field.required for field in type_.parameters.fields):
        return {"if": chosen, "then": {"properties": {"parameters": reference}, "required": ["parameters"]}}
    return {"if": chosen, "then": {"properties": {"parameters": {"anyOf": [reference, {"type": "null"}]}}}}


def _parameters(type_: PluginType) -> dict[str, Any]:
    about = {"title": type_.name, "description": type_.summary} if type_.summary else {"title": type_.name}
    return {**about, **type_.parameters.schema()}


def profile_schema(profile: Record, reference: Record) -> dict[str, Any]:
    """One entry of `schedulingProfiles`."""
    schema = profile.schema()
    schema["properties"]["plugins"] |= {"items": reference.schema(), "minItems": 1}
    schema["required"] = ["name", "plugins"]
    return schema
