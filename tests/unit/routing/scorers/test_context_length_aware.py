"""Endpoints for prompts of this length are better, or the only ones."""

import pytest

from bayplan.routing.scorers.context_length_aware import ContextLengthAware
from unit.routing.endpoint_tables import codes, endpoints, keeps_its_promises, kept, request, scores

LABEL = "llm-d.ai/context-length-range"
CASES = {
    "inside, at the lower end": ("0-10000", 0, 0.3 + 0.7 * (0.35 + 0.3), True),
    "inside, at the upper end": ("0-10000", 10_000, 0.3 + 0.7 * 0.35, True),
    "a narrow range": ("90-110", 100, 0.3 + 0.7 * (0.7 / 1.002 + 0.15), True),
    "one length": ("100-100", 100, 1.0, True),
    "below": ("1100-2000", 100, 0.15, False),
    "above": ("0-100", 1100, 0.15, False),
    "no label": (None, 100, 0.5, True),
    "no number": ("a-b", 100, 0.0, False),
    "one number": ("100", 100, 0.0, False),
    "three numbers": ("1-2-3", 2, 0.0, False),
    "the wrong way round": ("200-100", 150, 0.0, False),
    "negative": ("-5-100", 50, 0.0, False),
    "blanks around": (" 90 - 110 ", 100, 0.3 + 0.7 * (0.7 / 1.002 + 0.15), True),
}  # fmt: skip


def pool(label):
    return endpoints({"labels": {} if label is None else {LABEL: label}})


@pytest.mark.parametrize(("label", "tokens", "wanted", "passes"), CASES.values(), ids=CASES)
def test_score_and_filter(label, tokens, wanted, passes):
    asked = request(prompt_tokens=tokens)

    assert scores(ContextLengthAware(), pool(label), asked) == {"a": pytest.approx(wanted)}
    assert kept(ContextLengthAware(enable_filtering=True), pool(label), asked) == ({"a"} if passes else set())


def test_it_filters_only_where_it_is_told_to():
    assert kept(ContextLengthAware(), pool("0-1"), request(prompt_tokens=9)) == {"a"}


def test_code():
    asked = request(prompt_tokens=9)

    assert codes(ContextLengthAware(enable_filtering=True), pool("0-1"), asked) == {"a": ["context-length"]}


def test_a_label_of_ones_own():
    table = endpoints({"labels": {"ctx": "5-5"}})

    assert scores(ContextLengthAware("ctx"), table, request(prompt_tokens=5)) == {"a": 1.0}


def test_contract():
    table = endpoints(*({"labels": {} if label is None else {LABEL: label}} for label, *_ in CASES.values()))
    asked = [request("short", prompt_tokens=5), request("long", prompt_tokens=5000)]

    keeps_its_promises(ContextLengthAware(enable_filtering=True), table, asked)
