import pytest

from bayplan.routing.exposition.engine import Engine, LabelSpec, MetricSpec
from bayplan.routing.exposition.engine_configs import parse_spec, read_engines

SPECS = {
    "a name": ("m", MetricSpec("m")),
    "colons": ("vllm:m", MetricSpec("vllm:m")),
    "a label": ("m{a=b}", MetricSpec("m", (("a", "b"),))),
    "a quoted label": ('m{a="b, c=d"}', MetricSpec("m", (("a", "b, c=d"),))),
    "a comma after the last label": ("m{a=b,}", MetricSpec("m", (("a", "b"),))),
    "no comma between labels": ("m{a=b c=d}", None),
    "quotes and blanks": (' m { a = "b" , c=d } ', MetricSpec("m", (("a", "b"), ("c", "d")))),
    "an empty value": ('m{a=""}', MetricSpec("m", (("a", ""),))),
    "no labels in braces": ("m{}", MetricSpec("m")),
    "nothing": ("", None),
    "a value before the name": ("{a=b}", None),
    "a label without a value": ("m{a}", None),
    "braces that stay open": ("m{a=b", None),
    "a comparison": ("m{a!=b}", None),
    "two words": ("m n", None),
}


@pytest.mark.parametrize(("written", "spec"), SPECS.values(), ids=SPECS)
def test_specs(written, spec):
    assert parse_spec(written) == spec


def test_an_engine():
    config = {
        "name": "mine",
        "queuedRequestsSpec": "q{state=waiting}",
        "runningRequestsSpec": "",
        "kvUsageSpec": "u",
        "loraSpec": "l",
        "cacheInfoSpec": "c",
        "customMetrics": [{"attributeKey": "depth", "metricSpec": "d"}],
    }

    engines, problems = read_engines([config], "here")

    info = MetricSpec("c")
    assert problems == []
    assert engines == {
        "mine": Engine(
            "mine",
            waiting=MetricSpec("q", (("state", "waiting"),)),
            usage=(MetricSpec("u"),),
            block_size=LabelSpec(info, ("block_size", "page_size")),
            blocks=LabelSpec(info, ("num_gpu_blocks", "num_pages")),
            loras=MetricSpec("l"),
            attributes=(("depth", MetricSpec("d")),),
        )
    }


def test_no_engines():
    assert read_engines(None, "here") == ({}, [])


WRONG = {
    "no list": ({}, ["here"]),
    "no mapping": (["mine"], ["here[0]"]),
    "no name": ([{}], ["here[0].name"]),
    "one name twice": ([{"name": "a"}, {"name": "a"}], ["here[1].name"]),
    "an unknown field": ([{"name": "a", "queueSpec": "q"}], ["here[0].queueSpec"]),
    "specs that cannot be read": (
        [{"name": "a", "kvUsageSpec": "a b", "loraSpec": 3}],
        ["here[0].kvUsageSpec", "here[0].loraSpec"],
    ),
    "custom metrics that are no list": ([{"name": "a", "customMetrics": {}}], ["here[0].customMetrics"]),
    "a custom metric that is no mapping": ([{"name": "a", "customMetrics": [1]}], ["here[0].customMetrics[0]"]),
    "a custom metric without a key": (
        [{"name": "a", "customMetrics": [{"metricSpec": "m"}]}],
        ["here[0].customMetrics[0].attributeKey"],
    ),
    "a custom metric without a metric": (
        [{"name": "a", "customMetrics": [{"attributeKey": "k"}]}],
        ["here[0].customMetrics[0].metricSpec"],
    ),
}


@pytest.mark.parametrize(("configs", "places"), WRONG.values(), ids=WRONG)
def test_what_is_wrong(configs, places):
    _, problems = read_engines(configs, "here")

    assert [each.place for each in problems] == places
