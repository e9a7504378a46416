"""Metrics as a collector sees them: read with the parsers of prometheus_client."""

from prometheus_client.openmetrics.parser import text_string_to_metric_families as read_openmetrics
from prometheus_client.parser import text_string_to_metric_families as read_prometheus

from bayplan.telemetry.metrics.exposition import Style

READERS = {Style.PROMETHEUS: read_prometheus, Style.OPENMETRICS: read_openmetrics}


def samples(text, style=Style.PROMETHEUS):
    """Every sample of a text: its value by its name and labels; no series may come twice."""
    found = {}
    for family in READERS[style](text):
        for sample in family.samples:
            key = (sample.name, tuple(sorted(sample.labels.items())))
            assert key not in found, f"{key} comes twice"
            found[key] = sample.value
    return found


def value(text, name, **labels):
    """The value of one series; None where it is not there."""
    return samples(text).get((name, tuple(sorted(labels.items()))))


def shown(metrics, name, **labels):
    """The value of one series of a registry, as a collector would read it."""
    return value(metrics.text(Style.PROMETHEUS), name, **labels)
