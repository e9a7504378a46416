"""The fields of a SchedulerConfig document, level by level."""

from __future__ import annotations

from bayplan.framework.config.shapes import Anything, Choice, Field, ListOf, MapOf, Maybe, Name, Record, Scalar

API_VERSION = "bayplan.io/v1alpha1"
KIND = "SchedulerConfig"

_ANY_MAP = MapOf(Anything())
_ENTRIES = ListOf(Anything())

PLUGIN = Record(
    (
        Field("type", "type", Name(), required=True, text="which plugin"),
        Field("name", "name", Maybe(Name()), text="what profiles call it; its type where absent"),
        Field("parameters", "parameters", Maybe(_ANY_MAP), text="the parameters of this type of plugin"),
    ),
    dict,
)

REFERENCE = Record(
    (
        Field("plugin_ref", "pluginRef", Name(), required=True, text="the name of an entry of `plugins`"),
        Field("weight", "weight", Maybe(Scalar(float)), text="how much a scorer counts; 1 where absent"),
        Field("level", "level", Maybe(Scalar(int)), text="lower levels decide first; 0 where absent"),
    ),
    dict,
)

PROFILE = Record(
    (
        Field("name", "name", Name(), required=True, text="what the handler calls it"),
        Field("candidates", "candidates", Maybe(Name()), text="who makes its candidates; the scheduler where absent"),
        Field("plugins", "plugins", _ENTRIES, default=(), text="filters and scorers in their order, and one picker"),
    ),
    dict,
)  # fmt: skip

HANDLER = Record(
    (Field("plugin_ref", "pluginRef", Name(), required=True, text="the name of an entry of `plugins`"),), dict
)

CONFIG = Record(
    (
        Field("api_version", "apiVersion", Choice((API_VERSION,)), default=API_VERSION),
        Field("kind", "kind", Choice((KIND,)), default=KIND),
        Field("metadata", "metadata", Maybe(_ANY_MAP), text="for people and tools; not looked at"),
        Field("scheduler", "scheduler", Maybe(Name()), text="which scheduler this is for"),
        Field("plugins", "plugins", _ENTRIES, default=(), text="every plugin that the profiles use"),
        Field("profile_handler", "profileHandler", Maybe(_ANY_MAP), text="which plugin says what profile runs next"),
        Field("scheduling_profiles", "schedulingProfiles", _ENTRIES, default=(), text="at least one"),
        Field("on_plugin_error", "onPluginError", Choice(("fail", "skip")), default="fail",
              text="whether a broken plugin ends the decision or is left out of it"),
        Field("warnings", "warnings", Maybe(_ENTRIES), text="what `bayplan.read_config` had to say; not looked at"),
    ),
    dict,
)  # fmt: skip
