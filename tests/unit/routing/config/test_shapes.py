"""Quantities, times, gates and references: what they mean, and how they are refused."""

import pytest

from bayplan.framework.config.declarations import Declarations
from bayplan.framework.config.findings import Findings
from bayplan.framework.config.place import Place
from bayplan.framework.config.shapes import BROKEN
from bayplan.routing.config.shapes import Duration, Gates, Quantity, Reference
from unit.routing.config.documents import REGISTRY


def read(shape, value):
    findings = Findings()
    found = shape.read(value, Place(("x",)), findings)
    return found, {each.place: each.message for each in findings.problems}


READ = {
    "a number": (Quantity(), 77, 77),
    "a number in quotes": (Quantity(), "500", 500),
    "thousands": (Quantity(), "1k", 1000),
    "binary": (Quantity(), "10Gi", 10 * 2**30),
    "less than one": (Quantity(), "100m", 1),
    "minutes and seconds": (Duration(), "1m30s", 90.0),
    "milliseconds": (Duration(), "200ms", 0.2),
    "below nothing": (Duration(), "-1s", -1.0),
    "no time at all": (Duration(), 0, 0.0),
    "gates by name": (Gates(), ["flowControl"], {"flowControl": True}),
    "gates with values": (Gates(), ["flowControl=false", "dataLayer=true"], {"flowControl": False, "dataLayer": True}),
    "the last one counts": (Gates(), ["flowControl", "flowControl=false"], {"flowControl": False}),
    "gates as a mapping": (Gates(mapped=True), {"flowControl": True}, {"flowControl": True}),
    "a name that is not looked up": (Reference("parser"), "openai", "openai"),
}  # fmt: skip


@pytest.mark.parametrize(("shape", "value", "wanted"), READ.values(), ids=READ)
def test_what_is_read(shape, value, wanted):
    found, problems = read(shape, value)

    assert not problems
    assert found == pytest.approx(wanted) if isinstance(wanted, float) else found == wanted


REFUSED = {
    "words": (Quantity(), "10 gigs", "x", "'10 gigs'"),
    "negative": (Quantity(), -1, "x", "-1"),
    "a time in words": (Duration(), "1 minute", "x", "'1 minute'"),
    "a number without a unit": (Duration(), 60, "x", "60"),
    "true": (Duration(), True, "x", "true"),
    "gates that are no list": (Gates(), "flowControl", "x", "'flowControl'"),
    "a mapping in llm-d's kind": (Gates(), {"flowControl": True}, "x", "is not a list"),
    "an unknown gate": (Gates(), ["dataLayer", "warp"], "x[1]", "'warp'"),
    "a gate that is no text": (Gates(), [7], "x[0]", "7"),
    "neither true nor false": (Gates(), ["flowControl=yes"], "x[0]", "'flowControl=yes'"),
    "an unknown gate of a mapping": (Gates(mapped=True), {"warp": True}, "x.warp", "'warp'"),
    "a gate of a mapping": (Gates(mapped=True), {"flowControl": 1}, "x.flowControl", "1"),
    "an empty reference": (Reference("parser"), "", "x", "''"),
    "no reference": (Reference("parser"), 5, "x", "5"),
}  # fmt: skip


@pytest.mark.parametrize(("shape", "value", "place", "words"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused(shape, value, place, words):
    _, problems = read(shape, value)

    assert list(problems) == [place]
    assert words in problems[place]


@pytest.fixture
def plugins():
    declared = Declarations(REGISTRY)
    declared.read([{"type": "openai-parser", "name": "oai"}, {"type": "queue-scorer"}, {"type": "what"}], Findings())
    return declared


def test_a_reference_is_the_entry_itself(plugins):
    found, problems = read(Reference("parser", plugins), "oai")

    assert not problems
    assert found.plugin is next(each.plugin for each in plugins if each.name == "oai")


REFERENCES = {
    "not declared": ("openai-parser", "no entry of `plugins` is called 'openai-parser'"),
    "of another kind": ("queue-scorer", "'queue-scorer' is no parser; its kind is scorer"),
}


@pytest.mark.parametrize(("name", "message"), REFERENCES.values(), ids=REFERENCES)
def test_a_reference_that_leads_nowhere(name, message, plugins):
    assert read(Reference("parser", plugins), name) == (BROKEN, {"x": message})


def test_an_entry_with_a_problem_is_not_blamed_twice(plugins):
    assert read(Reference("parser", plugins), "what") == (BROKEN, {})


@pytest.mark.parametrize("shape", [Quantity(), Duration(), Gates(), Gates(mapped=True), Reference("parser")], ids=repr)
def test_schemas(shape):
    assert shape.schema()
    assert shape.words
    assert shape.example
