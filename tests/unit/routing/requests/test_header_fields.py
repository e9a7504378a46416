import pytest

from bayplan.routing.requests.header_fields import (
    MODEL_REWRITE,
    OBJECTIVE,
    SLO_TTFT_MS,
    first_of,
    number_of,
    wants_cached_prefix,
)

FOUND = {
    "the present name": ({"x-llm-d-inference-objective": "a"}, "a"),
    "the former name": ({"x-gateway-inference-objective": "b"}, "b"),
    "both": ({"x-llm-d-inference-objective": "a", "x-gateway-inference-objective": "b"}, "a"),
    "an empty one beside the former": ({"x-llm-d-inference-objective": "", "x-gateway-inference-objective": "b"}, "b"),
    "none": ({}, None),
}


@pytest.mark.parametrize(("headers", "value"), FOUND.values(), ids=FOUND)
def test_first_of(headers, value):
    assert first_of(headers, OBJECTIVE) == value
    assert first_of({}, MODEL_REWRITE) is None


NUMBERS = {"200": 200.0, "-5": -5.0, "1.5": 1.5, "soon": None, "inf": None, "nan": None, "": None}


@pytest.mark.parametrize(("text", "number"), NUMBERS.items(), ids=NUMBERS)
def test_number_of(text, number):
    assert number_of({"x-slo-ttft-ms": text}, SLO_TTFT_MS) == number


PREFERENCES = {
    "if-available": True,
    "respond-async, If-Available": True,
    "respond-async": False,
}


@pytest.mark.parametrize(("value", "wanted"), PREFERENCES.items(), ids=PREFERENCES)
def test_prefer(value, wanted):
    assert wants_cached_prefix({"prefer": value}) is wanted
    assert wants_cached_prefix({}) is False
