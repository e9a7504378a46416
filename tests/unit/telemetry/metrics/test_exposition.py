"""The two text formats."""

import math

import pytest
from hypothesis import given, strategies as st

from bayplan.telemetry.metrics.definition import counter, gauge
from bayplan.telemetry.metrics.exposition import Style, accepted_style, ending, heading, number, series
from metrics_text import READERS, samples

VALUES = {
    "plain": "a",
    "a quote": 'say "hi"',
    "a backslash": "c:\\new",
    "a backslash before a quote": '\\"',
    "a line break": "one\ntwo",
    "a backslash and an n, no line break": "\\n",
    "other alphabets": "Größe – 大小",
    "what looks like the end": 'x"} 7',
}


@pytest.mark.parametrize("style", Style, ids=lambda style: style.name.lower())
@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_values_of_labels_come_back(style, value):
    text = (
        f"{heading(gauge('x', 'about x', ('a', 'b')), style)}{series('x', ('a', 'b'), (value, 'z'))} 1\n{ending(style)}"
    )

    assert samples(text, style) == {("x", (("a", value), ("b", "z"))): 1}


@given(st.text(st.characters(exclude_categories=("Cs",)), max_size=30))
def test_any_text_comes_back(value):
    assert samples(f"{series('x', ('a',), (value,))} 1\n") == {("x", (("a", value),)): 1}


@pytest.mark.parametrize("style", Style, ids=lambda style: style.name.lower())
def test_help_of_several_lines(style):
    about = counter("x_total", 'one\ntwo \\ "three"')
    (family,) = READERS[style](f"{heading(about, style)}x_total 1\n{ending(style)}")

    assert (family.name, family.type, family.documentation) == ("x", "counter", 'one\ntwo \\ "three"')


NUMBERS = {3: "3", 0.5: "0.5", 2.0: "2.0", math.inf: "+Inf", -math.inf: "-Inf", 1e-7: "1e-07"}


@pytest.mark.parametrize(("value", "text"), NUMBERS.items(), ids=NUMBERS.values())
def test_numbers(value, text):
    assert number(value) == text


def test_what_is_no_number():
    assert number(math.nan) == "NaN"


ACCEPTED = {
    "nothing": ("", Style.PROMETHEUS),
    "a browser": ("text/html,*/*;q=0.8", Style.PROMETHEUS),
    "the text format": ("text/plain;version=0.0.4;q=1", Style.PROMETHEUS),
    "Prometheus 2 and 3": ("application/openmetrics-text;version=1.0.0;q=0.5,text/plain;q=0.3", Style.OPENMETRICS),
}


@pytest.mark.parametrize(("header", "style"), ACCEPTED.values(), ids=ACCEPTED)
def test_the_format_that_a_client_accepts(header, style):
    assert accepted_style(header) is style
