"""Names and labels keep to the conventions of Prometheus."""

import re

import pytest

from bayplan.telemetry.metrics import catalogue
from bayplan.telemetry.metrics.catalogue import ALL, LABELS
from bayplan.telemetry.metrics.definition import Definition, Kind

OF_SEED_003 = {
    "neuronetes_scheduler_latency_seconds": Kind.HISTOGRAM,
    "neuronetes_scheduler_attempts_total": Kind.COUNTER,
    "neuronetes_scheduler_success_total": Kind.COUNTER,
    "neuronetes_scheduler_pending_pods": Kind.GAUGE,
    "neuronetes_scheduler_topology_violations_total": Kind.COUNTER,
    "neuronetes_gpu_utilization_percent": Kind.GAUGE,
}
UNITS = ("milliseconds", "minutes", "hours", "mib", "kib", "gib", "megabytes", "_ms", "milli")
each = pytest.mark.parametrize("about", ALL, ids=lambda about: about.name)


def test_every_metric_is_in_a_group():
    defined = {each.name for each in vars(catalogue).values() if isinstance(each, Definition)}

    assert defined == {about.name for about in ALL}


def test_every_label_has_a_meaning():
    assert {label for about in ALL for label in about.labels} == set(LABELS)


def test_names_are_unique():
    assert len({about.name for about in ALL}) == len(ALL)


def test_the_promised_names_are_there():
    named = {about.name: about for about in ALL}

    assert {name: named[name].kind for name in OF_SEED_003} == OF_SEED_003
    assert all(named[name].labels for name in OF_SEED_003)


def test_successes_can_be_divided_by_attempts():
    named = {about.name: about for about in ALL}

    assert named["neuronetes_scheduler_success_total"].labels == named["neuronetes_scheduler_attempts_total"].labels


@each
def test_names(about):
    assert re.fullmatch(r"(neuronetes|bayplan|process)(_[a-z]+)+", about.name)
    assert about.name.endswith("_total") == (about.kind is Kind.COUNTER)
    assert not any(unit in about.name for unit in UNITS)
    assert not about.name.endswith(("_count", "_sum", "_bucket"))


@each
def test_labels(about):
    assert all(re.fullmatch(r"[a-z]+", label) for label in about.labels)
    assert "le" not in about.labels
    assert all(len(values) == len(about.labels) for values in about.values)


@each
def test_help_is_a_sentence(about):
    assert about.help.endswith(".")
    assert "\n" not in about.help


@each
def test_buckets_grow(about):
    assert bool(about.buckets) == (about.kind is Kind.HISTOGRAM)
    assert list(about.buckets) == sorted(set(about.buckets))
