"""The reader of expressions finds what an expression names."""

import pytest

from observability.promql import uses

FOUND = {
    "a gauge": ("up", ["up"], []),
    "matchers": ('a{b="c",d=~"e|f"} > 1', ["a"], []),
    "functions": ("rate(a_total[5m])", ["a_total"], []),
    "grouping before": ("sum by (x, y) (rate(a[1h])) / sum by (x) (b)", ["a", "b"], ["x", "y", "x"]),
    "grouping behind": ("sum(a) by (x)", ["a"], ["x"]),
    "matching": ("a and on (x) b unless c offset 15m", ["a", "b", "c"], ["x"]),
    "text that looks like names": ('a{b="sum(c)"}', ["a"], []),
    "parameters": ("histogram_quantile(0.99, sum by (le) (rate(a_bucket[5m])))", ["a_bucket"], ["le"]),
    "brackets": ("(a + b) / (c)", ["a", "b", "c"], []),
}


@pytest.mark.parametrize(("expression", "metrics", "labels"), FOUND.values(), ids=FOUND)
def test_names_and_labels(expression, metrics, labels):
    selectors, found = uses(expression)

    assert [each.metric for each in selectors] == metrics
    assert found == labels


def test_what_stands_around_and_inside_a_selector():
    ((use,), _) = uses('topk(3, sum by (x) (rate(a_total{b!="c"}[5m])))')

    assert use.matchers == [("b", "!=", "c")]
    assert use.functions == ("rate", "sum", "topk")
    assert use.ranged
