"""Whatever a document says, it is a configuration or a ConfigError; and what is read can be read again."""

from __future__ import annotations

from copy import deepcopy

from hypothesis import given, strategies as st

from bayplan.framework.config.scheduler_config import read_config
from bayplan.framework.errors import ConfigError
from unit.framework.pantry import GOOD, OWN, PANTRY, SECOND, registry

RICH = deepcopy(GOOD)
RICH["plugins"] += [{"type": "in-turn"}, {"type": "fourfold"}, {"type": "doubling"}, {"type": "eager"}]
RICH["schedulingProfiles"][0]["plugins"].append({"pluginRef": "eager", "weight": 0.5, "level": 1})
RICH["schedulingProfiles"].append({**SECOND, "candidates": "shelves"})
RICH["profileHandler"] = {"pluginRef": "in-turn"}

WORDS = st.sampled_from(
    ["type", "name", "pluginRef", "plugins", "parameters", "weight", "max-score", "queue", "calm", "default", ""]
    + [plugin.name for plugin in OWN]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | WORDS | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS | st.integers(), inner, max_size=3),
    max_leaves=6,
)


def places(value, path=()):
    yield path
    for key, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from places(item, (*path, key))


@st.composite
def spoiled(draw):
    """A good document with a few of its values replaced, removed or given a second time."""
    document = deepcopy(RICH)
    for _ in range(draw(st.integers(0, 3))):
        path = draw(st.sampled_from([each for each in places(document) if each]))
        *steps, last = path
        holder = document
        for step in steps:
            holder = holder[step]
        match draw(st.sampled_from(["replace", "remove", "copy"])):
            case "replace":
                holder[last] = draw(VALUES)
            case "remove":
                del holder[last]
            case "copy" if isinstance(holder, list):
                holder.append(deepcopy(holder[last]))
    return document


def attempt(document):
    try:
        return read_config(document, registry(), columns={"pantry": PANTRY}, line=lambda path: len(path) or None)
    except ConfigError as problem:
        return problem


@given(st.one_of(spoiled(), VALUES))
def test_a_document_is_a_configuration_or_a_config_error(document):
    untouched = repr(document)
    got = attempt(document)

    assert repr(document) == untouched
    if isinstance(got, ConfigError):
        assert got.problems
        assert all(each.place and each.message and each.next for each in got.problems)
    else:
        assert attempt(got.document()).document() == got.document()
