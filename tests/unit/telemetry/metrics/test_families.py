"""Counters, gauges and histograms."""

import pytest

from bayplan.telemetry.metrics.definition import counter, gauge, histogram
from bayplan.telemetry.metrics.families import Counter, Gauge, Histogram
from metrics_text import samples

FEW = histogram("x_seconds", "x", ("verb",), buckets=(0.1, 1.0))


def text(family):
    return "".join(family.lines())


def test_a_counter_adds_by_labels():
    family = Counter(counter("x_total", "x", ("verb", "code")))
    family.add("get", "200")
    family.add("get", "200", by=2)
    family.add("put", "409")

    assert text(family) == 'x_total{verb="get",code="200"} 3\nx_total{verb="put",code="409"} 1\n'


def test_a_counter_without_labels_is_there_from_the_start():
    assert text(Counter(counter("x_total", "x"))) == "x_total 0\n"


def test_known_values_are_there_from_the_start():
    assert (
        text(Counter(counter("x_total", "x", ("a",), values=(("b",), ("c",)))))
        == 'x_total{a="b"} 0\nx_total{a="c"} 0\n'
    )


def test_a_total_that_is_counted_elsewhere():
    family = Counter(counter("x_total", "x"))
    family.reach(7.5)

    assert family.value() == 7.5


def test_a_gauge_forgets_what_is_gone_and_keeps_known_values():
    family = Gauge(gauge("x", "x", ("a",), values=(("known",),)))
    family.set(3, "known")
    family.set(4, "old")
    family.replace({("new",): 5})

    assert text(family) == 'x{a="known"} 0\nx{a="new"} 5\n'


def test_buckets_add_up():
    family = Histogram(FEW)
    for seconds in (0.05, 0.1, 0.5, 20.0):
        family.observe(seconds, "get")

    found = samples(f"# TYPE x_seconds histogram\n{text(family)}")
    bounds = {dict(labels)["le"]: value for (name, labels), value in found.items() if name == "x_seconds_bucket"}
    assert bounds == {"0.1": 2, "1.0": 3, "+Inf": 4}
    assert found["x_seconds_count", (("verb", "get"),)] == 4
    assert found["x_seconds_sum", (("verb", "get"),)] == pytest.approx(20.65)
    assert family.count("get") == 4


@pytest.mark.parametrize("make", [counter, gauge, histogram])
def test_series_are_bounded(make):
    about = make("x_total", "x", ("path",))
    family = {counter: Counter, gauge: Gauge, histogram: Histogram}[make](about)
    for number in range(about.most_series + 10):
        path = f"/{number}"
        if make is counter:
            family.add(path)
        elif make is gauge:
            family.set(1, path)
        else:
            family.observe(1.0, path)

    assert family.dropped == 10
    assert 'path="other"' in text(family)
    assert f'path="/{about.most_series}"' not in text(family)


def test_long_values_are_cut_and_counted_together():
    family = Counter(counter("x_total", "x", ("a",)))
    for end in "12":
        family.add("y" * 1000 + end)

    assert [*samples(text(family)).values()] == [2]


@pytest.mark.parametrize("family", [Counter(counter("x_total", "x", ("a",))), Histogram(FEW)])
def test_too_many_labels_are_a_mistake_of_the_program(family):
    with pytest.raises(TypeError, match="has the labels"):
        family.add("a", "b") if isinstance(family, Counter) else family.observe(1.0, "a", "b")


@pytest.mark.parametrize("times", [0, 1, 100])
def test_many_measurements_at_once_are_what_they_are_one_by_one(times):
    about = histogram("x_seconds", "A time.", ("verb",), buckets=(1.0, 2.0))
    together, single = Histogram(about), Histogram(about)
    values = [0.5, 1.0, 1.5, 2.0, 3.0, 0.0] * times
    together.observe_all(values, "get")
    for value in values:
        single.observe(value, "get")

    assert together.count("get") == single.count("get") == len(values)
    assert not times or list(together.lines()) == list(single.lines())
    assert together.count("list") == 0
