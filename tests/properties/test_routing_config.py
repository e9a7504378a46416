"""Whatever a configuration of routing says, it is read or refused with places; and what is read can be read again."""

from __future__ import annotations

from copy import deepcopy

import pytest
from hypothesis import given, strategies as st

from bayplan.framework.errors import ConfigError
from bayplan.framework.registry import Registry
from bayplan.routing.config.builtins import builtins
from bayplan.routing.config.document import PICKER_KIND
from bayplan.routing.config.reader import read_routing_config
from unit.routing.config.documents import NATIVE, RICH, STAGES

REGISTRY = Registry(builtins())
VALID = {"one profile": RICH, "three stages": STAGES, "our own kind": NATIVE}
KEYS = [
    "type",
    "name",
    "pluginRef",
    "plugins",
    "parameters",
    "weight",
    "level",
    "featureGates",
    "flowControl",
    "sources",
]
NAMES = ["default", "decode", "flowControl=true", "1k", "10Gi", "60s", "-5s", "approx-prefix-cache-producer", ""]
WORDS = st.sampled_from([*KEYS, *NAMES, *(each.name for each in REGISTRY)])
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
def mutated(draw):
    """A valid document with a few of its values replaced, removed, added or given a second time."""
    document = deepcopy(draw(st.sampled_from([*VALID.values()])))
    for _ in range(draw(st.integers(1, 3))):
        *steps, last = draw(st.sampled_from([each for each in places(document) if each]))
        holder = document
        for step in steps:
            holder = holder[step]
        match draw(st.sampled_from(["replace", "remove", "copy", "add"])):
            case "replace":
                holder[last] = draw(VALUES)
            case "remove":
                del holder[last]
            case "copy" if isinstance(holder, list):
                holder.append(deepcopy(holder[last]))
            case "add" if isinstance(holder, dict):
                holder[draw(WORDS)] = draw(VALUES)
    return document


def attempt(document):
    try:
        return read_routing_config(document, REGISTRY, line=lambda path: len(path) or None)
    except ConfigError as problem:
        return problem


@given(st.one_of(mutated(), VALUES))
def test_a_document_is_a_configuration_or_all_its_problems(document):
    untouched = repr(document)
    got = attempt(document)

    assert repr(document) == untouched
    if isinstance(got, ConfigError):
        assert got.problems
        assert all(each.place and each.message for each in got.problems)
    else:
        again = attempt(got.document())
        assert again.document() == got.document()
        assert not (again.flow is None) ^ (got.flow is None)


@pytest.mark.parametrize("document", VALID.values(), ids=VALID)
def test_the_documents_that_are_mutated_are_valid(document):
    config = attempt(document)

    assert config.document()["scheduler"] == "routing"
    assert (document.get("kind") == PICKER_KIND) is (document is not NATIVE)
