"""The dashboard and the alerts name metrics, labels and values that are exported, and use them as they are meant."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from bayplan.control.scheduling.queue_lengths import STATES
from bayplan.telemetry.metrics.catalogue import ALL
from bayplan.telemetry.metrics.definition import Kind
from bayplan.telemetry.metrics.exposition import Style
from bayplan.telemetry.metrics.registry import Metrics
from observability.promql import uses

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "observability"
ALERTS = yaml.safe_load((FOLDER / "alerts.yaml").read_text())
DASHBOARD = json.loads((FOLDER / "grafana-dashboard.json").read_text())
RULES = {rule["alert"]: rule for group in ALERTS["groups"] for rule in group["rules"]}
PANELS = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
EXPRESSIONS = {
    **{f"alert {name}": rule["expr"] for name, rule in RULES.items()},
    **{f"panel {panel['title']} {target['refId']}": target["expr"] for panel in PANELS for target in panel["targets"]},
}
ADDED = {"job", "instance"}
"""Labels that Prometheus adds to everything it scrapes."""
OF_PROMETHEUS = {"up"}
BY_NAME = {about.name: about for about in ALL}
PARTS = ("_bucket", "_sum", "_count")
VALUES = {"neuronetes_scheduler_pending_pods": STATES, "bayplan_queue_oldest_seconds": STATES}
VALUES |= {"bayplan_gpus": ("free", "partly", "full", "unavailable")}
VALUES |= {"bayplan_gpu_memory_bytes": ("booked", "foreign", "free", "kept-back", "unavailable")}
VALUES |= dict.fromkeys(("bayplan_cpu_cores", "bayplan_ram_bytes"), ("booked", "free", "unavailable"))
each = pytest.mark.parametrize("expression", EXPRESSIONS.values(), ids=EXPRESSIONS)


def definition(metric):
    """The definition behind the name of a series, and which part of a histogram it is."""
    for part in PARTS:
        about = BY_NAME.get(metric.removesuffix(part))
        if about is not None and metric.endswith(part) and about.kind is Kind.HISTOGRAM:
            return about, part
    assert metric in BY_NAME, f"{metric} is not exported"
    assert BY_NAME[metric].kind is not Kind.HISTOGRAM, f"{metric} is a histogram: use one of its parts"
    return BY_NAME[metric], ""


def own(expression):
    selectors, labels = uses(expression)
    return [use for use in selectors if use.metric not in OF_PROMETHEUS], labels


@each
def test_metrics_and_labels_exist(expression):
    selectors, grouped = own(expression)
    known = set(ADDED)
    for use in selectors:
        about, part = definition(use.metric)
        labels = {*about.labels, *ADDED, *(["le"] if part == "_bucket" else [])}
        known |= labels
        assert {label for label, *_ in use.matchers} <= labels, use.metric
    assert set(grouped) <= known
    assert selectors or "up{" in expression


@each
def test_values_exist(expression):
    for use in own(expression)[0]:
        about, _ = definition(use.metric)
        for label, how, text in use.matchers:
            values = known_values(about, label)
            if values is None or "$" in text:
                continue
            pattern = text if "~" in how else re.escape(text)
            assert any(re.fullmatch(pattern, value) for value in values), f"{use.metric}{{{label}{how}{text!r}}}"


def known_values(about, label):
    """What a label can say, where that is a fixed list."""
    if label == "state":
        return VALUES[about.name]
    if label not in about.labels or not about.values:
        return None
    return {values[about.labels.index(label)] for values in about.values}


@each
def test_counters_are_rates_and_gauges_are_not(expression):
    for use in own(expression)[0]:
        about, part = definition(use.metric)
        grows = about.kind is Kind.COUNTER or bool(part)
        ranged = bool(use.functions) and use.functions[0] in ("rate", "increase")
        assert use.ranged == ranged
        if "unless" not in expression:  # which asks whether a series is new
            assert ranged == grows, use.metric
        if part == "_bucket":
            assert "histogram_quantile" in use.functions


@each
def test_a_number_of_events_in_a_time_is_no_rate(expression):
    """`rate(x[1h]) > 2` is two a second; nobody means that."""
    assert not re.search(r"rate\([^()]*\[\d+[hd]\]\)", expression)


@each
def test_shares_are_divided_by_their_whole(expression):
    """`rate(errors) / (rate(all) + 1)` hides the errors of a quiet hour."""
    assert not re.search(r"\+\s*\d", expression)


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_an_alert_says_what_is_wrong_and_what_to_do(rule):
    assert re.fullmatch(r"Bayplan[A-Z][A-Za-z]+", rule["alert"])
    assert rule["labels"]["severity"] in ("critical", "warning", "info")
    assert set(rule["annotations"]) == {"summary", "description"}
    assert rule["annotations"]["description"].endswith(".")
    named = set(re.findall(r"\$labels\.(\w+)", str(rule["annotations"])))
    assert named <= set(re.findall(r"\w+", rule["expr"])) | {"plugin", "model"}


def test_promised_names_are_on_the_dashboard():
    shown = {use.metric.removesuffix("_bucket") for text in EXPRESSIONS.values() for use in uses(text)[0]}

    assert {about.name for about in ALL if about.name.startswith("neuronetes_")} <= shown


def test_panels_have_places_of_their_own():
    assert len({panel["id"] for panel in DASHBOARD["panels"]}) == len(DASHBOARD["panels"])
    taken = set()
    for panel in DASHBOARD["panels"]:
        at = panel["gridPos"]
        cells = {(at["x"] + x, at["y"] + y) for x in range(at["w"]) for y in range(at["h"])}
        assert not taken & cells, panel["title"]
        assert at["x"] + at["w"] <= 24
        taken |= cells


def test_panels_say_what_they_show():
    for panel in PANELS:
        assert panel["description"].endswith("."), panel["title"]
        assert all(target["legendFormat"] or panel["type"] == "stat" for target in panel["targets"])
        legends = set(re.findall(r"{{(\w+)}}", str([target["legendFormat"] for target in panel["targets"]])))
        assert all(legend in target["expr"] for legend in legends for target in panel["targets"][:1])


def test_variables_are_filled_from_metrics_that_exist():
    queries = [each["definition"] for each in DASHBOARD["templating"]["list"] if each["type"] == "query"]

    assert queries
    for query in queries:
        metric, label = re.fullmatch(r"label_values\((\w+), (\w+)\)", query).groups()
        assert label in {*BY_NAME[metric].labels, *ADDED}
    assert all(f"${name}" in str(PANELS) for name in ("instance", "model"))


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool of Debian's package prometheus is not installed")
class TestPromtool:
    def run(self, *arguments, **options):
        done = subprocess.run(
            [shutil.which("promtool"), *arguments], capture_output=True, text=True, check=False, **options
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done

    def test_the_rules_are_valid(self):
        self.run("check", "rules", FOLDER / "alerts.yaml")

    def test_the_alerts_fire_when_they_should(self):
        self.run("test", "rules", Path(__file__).with_name("alerts_test.yaml"))

    def test_the_metrics_are_named_as_prometheus_likes_it(self):
        done = self.run("check", "metrics", input=Metrics().text(Style.PROMETHEUS))
        assert done.stderr == ""
