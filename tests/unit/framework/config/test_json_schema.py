"""The exported JSON Schema accepts what the reader accepts, and refuses what one value alone makes wrong."""

from __future__ import annotations

import json

import pytest

from bayplan.framework.config.document import CONFIG, HANDLER, PLUGIN, PROFILE as PROFILE_FIELDS, REFERENCE
from bayplan.framework.config.json_schema import config_schema
from bayplan.framework.registry import Registry
from unit.framework.config.schema_judge import accepts
from unit.framework.pantry import GOOD, PROFILE, SECOND, USES, all_of, changed, plugin, put, read, registry, removed


@pytest.fixture(scope="module")
def schema():
    return config_schema(registry())


GOOD_ONES = {
    "plain":           lambda document: None,
    "alias":           put(["plugins", 3], {"type": "random-picker", "name": "spare"}),
    "null metadata":   put(["metadata"], None),
    "null parameters": put(["plugins", 2, "parameters"], None),
    "null weight":     put([*USES, 1, "weight"], None),
    "handler":         all_of(plugin({"type": "in-turn"}), put(["profileHandler"], {"pluginRef": "in-turn"})),
    "several":         all_of(plugin({"type": "in-turn"}), put(["schedulingProfiles", 1], SECOND)),
    "nested":          put(["plugins", 2, "parameters"], {"shares": {"a": 0.5}}),
    "level":           put([*USES, 1, "level"], -1),
    "bare":            all_of(removed(["apiVersion"]), removed(["kind"]), removed(["scheduler"])),
}  # fmt: skip


@pytest.mark.parametrize("change", GOOD_ONES.values(), ids=GOOD_ONES)
def test_what_the_reader_accepts_is_accepted(change, schema):
    document = changed(change)

    assert accepts(schema, document, schema)
    assert accepts(schema, read(document).document(), schema)


BROKEN_ONES = {
    "wrong apiVersion":     put(["apiVersion"], "v1"),
    "wrong kind":           put(["kind"], "Pod"),
    "unknown field":        put(["plugns"], []),
    "metadata no mapping":  put(["metadata"], 3),
    "plugins no list":      put(["plugins"], {}),
    "no plugins":           removed(["plugins"]),
    "plugin no mapping":    put(["plugins", 3], "max-score"),
    "no type":              put(["plugins", 3], {"name": "x"}),
    "empty name":           plugin({"type": "sample", "name": ""}),
    "unknown type":         plugin({"type": "sampel"}),
    "unknown parameter":    put(["plugins", 1, "parameters", "mst"], 1),
    "another's parameter":  put(["plugins", 1, "parameters", "perRow"], 1),
    "wrong parameter type": put(["plugins", 1, "parameters", "most"], "2"),
    "true is no number":    put(["plugins", 1, "parameters", "most"], True),
    "parameter deep down":  put(["plugins", 2, "parameters"], {"shares": {"a": "b"}}),
    "wrong choice":         put(["plugins", 0, "parameters"], {"ties": "highest"}),
    "no profile":           put(["schedulingProfiles"], []),
    "profiles missing":     removed(["schedulingProfiles"]),
    "profile without name": removed([*PROFILE, "name"]),
    "profile is empty":     put([*USES], []),
    "reference to nothing": put([*USES, 0], {"weight": 1}),
    "unknown in reference": put([*USES, 0, "wieght"], 1),
    "weight no number":     put([*USES, 1, "weight"], "1"),
    "level not whole":      put([*USES, 1, "level"], 1.5),
    "onPluginError":        put(["onPluginError"], "ignore"),
    "handler without ref":  put(["profileHandler"], {}),
}  # fmt: skip


@pytest.mark.parametrize("change", BROKEN_ONES.values(), ids=BROKEN_ONES)
def test_what_one_value_makes_wrong_is_refused(change, schema):
    assert not accepts(schema, changed(change), schema)


class Strict:
    """Needs to be told."""

    name = "strict"
    reads = ()

    def __init__(self, limit: int) -> None:
        self.limit = limit

    def mask(self, ask, rows, cycle):
        return [True] * rows.size


def test_a_required_parameter_makes_parameters_required():
    known = registry()
    known.register(Strict)
    schema = config_schema(known)

    told = changed(plugin({"type": "strict", "parameters": {"limit": 3}}, {"pluginRef": "strict"}))
    untold = changed(plugin({"type": "strict"}, {"pluginRef": "strict"}))
    assert accepts(schema, told, schema)
    assert not accepts(schema, untold, schema)
    assert schema["$defs"]["strict"]["description"] == "Needs to be told."


def test_known_schedulers_are_listed():
    schema = config_schema(registry(), schedulers=("pantry", "kitchen"))

    assert accepts(schema, GOOD, schema)
    assert not accepts(schema, {**GOOD, "scheduler": "cellar"}, schema)
    assert not accepts(schema, changed(removed(["scheduler"])), schema)


def test_it_is_plain_json_of_the_named_dialect_with_a_definition_per_plugin(schema):
    assert json.loads(json.dumps(schema)) == schema
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert sorted(schema["$defs"]) == [each.name for each in registry()]
    assert schema["$defs"]["max-score"]["properties"]["ties"]["description"].startswith(
        "which of equal rows comes first"
    )
    assert schema["$defs"]["max-score"]["properties"]["ties"]["default"] == "lowest"


def test_making_it_leaves_the_document_fields_alone():
    before = [each.schema() for each in (CONFIG, PLUGIN, PROFILE_FIELDS, REFERENCE, HANDLER)]
    config_schema(registry(), schedulers=("pantry",))

    assert [each.schema() for each in (CONFIG, PLUGIN, PROFILE_FIELDS, REFERENCE, HANDLER)] == before


class Open:
    name = "open"
    reads = ()

    def mask(self, ask, rows, cycle):
        return [True] * rows.size


@pytest.fixture
def small():
    """The schema of two plugin types: one takes nothing, the other must be told something."""
    known = Registry()
    known.register(Strict)
    known.register(Open)
    return config_schema(known)


def test_fields_keep_what_the_document_says_about_them(small):
    fields = small["properties"]
    plugins, profiles = fields["plugins"], fields["schedulingProfiles"]

    assert (small["title"], small["required"]) == ("SchedulerConfig", ["plugins", "schedulingProfiles"])
    assert (plugins["type"], plugins["description"]) == ("array", "every plugin that the profiles use")
    assert plugins["items"]["properties"]["type"] == {
        "type": "string", "minLength": 1, "description": "which plugin", "enum": ["open", "strict"],
    }  # fmt: skip
    assert (profiles["type"], profiles["description"], profiles["minItems"]) == ("array", "at least one", 1)
    assert profiles["items"]["properties"]["plugins"] == {
        "type": "array", "items": REFERENCE.schema(), "minItems": 1, "default": [],
        "description": "filters and scorers in their order, and one picker",
    }  # fmt: skip
    assert fields["profileHandler"] == {
        "anyOf": [HANDLER.schema(), {"type": "null"}], "default": None,
        "description": "which plugin says what profile runs next",
    }  # fmt: skip


def test_the_type_of_a_plugin_decides_its_parameters(small):
    def chosen(name):
        return {"properties": {"type": {"enum": [name]}}, "required": ["type"]}

    optional = {"anyOf": [{"$ref": "#/$defs/open"}, {"type": "null"}]}
    assert small["properties"]["plugins"]["items"]["allOf"] == [
        {"if": chosen("open"), "then": {"properties": {"parameters": optional}}},
        {
            "if": chosen("strict"),
            "then": {"properties": {"parameters": {"$ref": "#/$defs/strict"}}, "required": ["parameters"]},
        },
    ]


def test_a_type_without_a_summary_has_a_title_alone(small):
    assert small["$defs"]["open"] == {
        "title": "open",
        "type": "object",
        "properties": {},
        "additionalProperties": False,
    }
    assert small["$defs"]["strict"]["title"] == "strict"
    assert small["$defs"]["strict"]["description"] == "Needs to be told."
