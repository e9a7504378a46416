"""The fields of routing's configurations, level by level: llm-d's EndpointPickerConfig, and our SchedulerConfig."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from bayplan.framework.config.document import CONFIG, KIND, PROFILE, REFERENCE
from bayplan.framework.config.drafts import STANDING, ProfileRules
from bayplan.framework.config.shapes import Anything, Choice, Field, ListOf, MapOf, Maybe, Name, Record, Scalar
from bayplan.routing import plugin_kinds as kinds
from bayplan.routing.config.shapes import Duration, Gates, Quantity, Reference

if TYPE_CHECKING:
    from bayplan.framework.config.declarations import Declarations

PICKER_KIND: Final = "EndpointPickerConfig"
PICKER_VERSION: Final = "llm-d.ai/v1alpha1"
OLD_PICKER_VERSION: Final = "inference.networking.x-k8s.io/v1alpha1"

_ANY_MAP = MapOf(Anything())
_ENTRIES = ListOf(Anything())
_NAMED = "the name of an entry of `plugins`"
_NO_EFFECT = "accepted, without effect"

_WEIGHT = Maybe(Scalar(float, least=0.0))
_REFERENCE = Record(
    tuple(replace(field, shape=_WEIGHT) if field.key == "weight" else field for field in REFERENCE.fields), dict
)
PROFILE_RULES: Final = {
    KIND: ProfileRules(PROFILE, _REFERENCE, (*STANDING, "producer"), lenient=True),
    PICKER_KIND: ProfileRules(
        Record(tuple(field for field in PROFILE.fields if field.key != "candidates"), dict),
        Record(tuple(field for field in _REFERENCE.fields if field.key != "level"), dict),
        (*STANDING, "producer"),
        lenient=True,
    ),
}
"""What profiles may hold, by the kind of the document: llm-d's has neither `candidates` nor `level`."""


def picker_config(plugins: Declarations | None = None) -> Record:
    """An EndpointPickerConfig; with plugins, references to them are looked up."""
    return Record(
        (
            Field("api_version", "apiVersion", Choice((PICKER_VERSION, OLD_PICKER_VERSION)), default=PICKER_VERSION),
            Field("kind", "kind", Choice((PICKER_KIND,)), default=PICKER_KIND),
            Field("gates", "featureGates", Gates(), text="what is switched on or off"),
            Field("flow", "flowControl", Record(_flow_fields(plugins), dict), text="how requests wait"),
            *_parts(plugins),
        ),
        dict,
    )


def native_config(plugins: Declarations | None = None) -> Record:
    """A SchedulerConfig of routing; it also takes the numbers that `read_config` answers with."""
    parts = _parts(plugins)
    own = {field.key for field in parts}
    flow = Record((*_flow_fields(plugins), *_FLOW_IN_SECONDS), dict)
    return Record(
        (
            *(field for field in CONFIG.fields if field.key not in (*own, "profileHandler")),
            Field("profile_handler", "profileHandler", _named("handler", plugins), text="which profile runs next"),
            Field("gates", "featureGates", Gates(mapped=True), text="what is switched on or off"),
            Field("flow", "flowControl", flow, text="how requests wait"),
            Field("own_policy", "ownPolicy", Maybe(Choice(("early", "late"))), text="our own policy decides"),
            *parts,
        ),
        dict,
    )


def _named(kind: str, plugins: Declarations | None) -> Record:
    reference = Reference(kind, plugins)
    return Record((Field("plugin_ref", "pluginRef", reference, required=True, text=_NAMED),), dict)


def _parts(plugins: Declarations | None) -> tuple[Field, ...]:
    """What both kinds have."""
    data_layer = _data_layer(plugins)
    parsers = ListOf(_named(kinds.PARSER, plugins))
    handler = Record((Field("parsers", "parsers", parsers, text="who reads requests, in order"),), dict)
    return (
        Field("metadata", "metadata", _ANY_MAP, text="for people and tools; not looked at"),
        Field("plugins", "plugins", _ENTRIES, text="every plugin that is used"),
        Field("scheduling_profiles", "schedulingProfiles", _ENTRIES, text="filters, scorers and one picker each"),
        Field("data_layer", "dataLayer", data_layer, text="what is read of the endpoints"),
        Field("old_data_layer", "data", data_layer, text="deprecated: dataLayer"),
        Field("request_handler", "requestHandler", handler, text="who reads requests"),
        Field("old_parser", "parser", _named(kinds.PARSER, plugins), text="deprecated: requestHandler.parsers"),
        Field("old_detector", "saturationDetector", _ANY_MAP, text="deprecated: flowControl.saturationDetector"),
    )


def _data_layer(plugins: Declarations | None) -> Record:
    source = Record(
        (
            *_named(kinds.DATA_SOURCE, plugins).fields,
            Field(
                "extractors", "extractors", ListOf(_named(kinds.EXTRACTOR, plugins)), text="who reads what it brings"
            ),
        ),
        dict,
    )
    return Record(
        (
            Field(
                "inject_defaults", "injectDefaults", Scalar(bool), text="whether the engines' metrics are read anyway"
            ),
            Field("sources", "sources", ListOf(source), text="where values of the endpoints come from"),
            Field("discovery", "discovery", _named(kinds.DISCOVERY, plugins), text="where the endpoints are listed"),
            Field("peer_discovery", "peerDiscovery", _ANY_MAP, text=_NO_EFFECT),
            Field("syncer", "crossReplicaSyncerPluginRef", Name(), text=_NO_EFFECT),
            Field("sync_interval", "crossReplicaSyncInterval", Duration(), text=_NO_EFFECT),
        ),
        dict,
    )


def _flow_fields(plugins: Declarations | None) -> tuple[Field, ...]:
    band = (
        Field("max_bytes", "maxBytes", Quantity(), text="how many bytes may wait in the band"),
        Field("max_requests", "maxRequests", Quantity(), text="how many requests may wait in the band"),
        Field("fairness", "fairnessPolicyRef", Reference(kinds.FAIRNESS, plugins), text="which flow is next"),
        Field("ordering", "orderingPolicyRef", Reference(kinds.ORDERING, plugins), text="which request is next"),
    )
    listed = Record((Field("priority", "priority", Scalar(int), text="0 where absent"), *band), dict)
    limit, selection = Reference(kinds.USAGE_LIMIT, plugins), Reference(kinds.BAND_SELECTION, plugins)
    return (
        Field("max_bytes", "maxBytes", Quantity(), text="how many bytes may wait in all; absent: any"),
        Field("max_requests", "maxRequests", Quantity(), text="how many requests may wait in all; absent: any"),
        Field("request_ttl_s", "defaultRequestTTL", Duration(), text="how long a request may wait; absent: 60s"),
        Field("no_endpoint_ttl_s", "noEndpointRequestTTL", Duration(), text="the same while no endpoint is ready"),
        Field("bands", "priorityBands", ListOf(listed), text="bands with settings of their own"),
        Field("default_band", "defaultPriorityBand", Record(band, dict), text="what other bands have"),
        Field("default_negative_band", "defaultNegativePriorityBand", Record(band, dict), text="the same, below 0"),
        Field("usage_limit", "usageLimitPolicyPluginRef", limit, text="how far each band may fill the pool"),
        Field("band_policy", "bandSelectionPolicyPluginRef", selection, text="which band is next; absent: the highest"),
        Field("detector", "saturationDetector", _named(kinds.DETECTOR, plugins), text="how full the pool is"),
        Field("enable_eviction", "enableEviction", Scalar(bool), text="whether requests below 0 may be evicted"),
    )


_FLOW_IN_SECONDS = (
    Field("request_ttl_number", "defaultRequestTTLSeconds", Scalar(float), text="defaultRequestTTL as a number"),
    Field("no_endpoint_ttl_number", "noEndpointRequestTTLSeconds", Scalar(float), text="the same for the other time"),
)
