"""A scenario file: YAML or JSON, read by the guarded reader; every problem is told with its line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.control.nodes.settings import NodeSettings
from bayplan.framework.errors import InputError
from bayplan.manifests.fields import Fields, Findings
from bayplan.manifests.marks import RUNTIME
from bayplan.manifests.native.cluster import collect_cluster
from bayplan.manifests.native.cluster_writer import API_VERSION, KIND as CLUSTER
from bayplan.manifests.reader import read_file
from bayplan.manifests.values import count, duration_s, name, number, one_of, percent, rate, text
from bayplan.sim.fleet.pace import Pace
from bayplan.sim.fleet.scenario import OF_PODS, Do, Event, Fault, Rate, Scenario, Usage

if TYPE_CHECKING:
    from pathlib import Path

    from bayplan.manifests.reader import Document

KIND = "Scenario"
SIMULATED = "simulated"
_do = one_of(Do)
_EXTRA = {Do.FLAP: "period", Do.SLOW: "factor", Do.BREAK_CARD: "card", Do.RECLAIM: "notice"}
"""Fields that only one sort of fault has."""


def read_scenario_file(file: Path) -> tuple[Scenario, list[str]]:
    """The scenario of a file, and warnings about fields that have no effect."""
    documents = read_file(file)
    if len(documents) != 1:
        message = f"it holds {len(documents)} documents"
        raise InputError(message, place=str(file), next=f"write one document of kind {KIND}")
    return read_scenario(documents[0])


def read_scenario(document: Document) -> tuple[Scenario, list[str]]:
    """The scenario of a document."""
    findings = Findings(document)
    fields = Fields(document.data, findings)
    for key, wanted in (("apiVersion", API_VERSION), ("kind", KIND)):
        if (found := fields.need(key, text, wanted)) != wanted:
            fields.add(f"{found[:80]!r} is not {wanted}", key, next=f"write {wanted}")
    metadata = fields.child("metadata")
    called = metadata.read("name", name, "simulation")
    scenario = Scenario(
        called,
        fields.read("seed", count, 0),
        _pace(fields.child("pace")),
        _usage(fields.child("usage")),
        _nodes(fields.child("nodes")),
        tuple(_event(each) for each in fields.children("events")),
        tuple(_rate(each) for each in fields.children("rates")),
        _cluster(fields, called),
    )
    fields.finish()
    findings.check()
    return scenario, findings.warnings


def simulated(cluster: dict[str, Any]) -> dict[str, Any]:
    """The Cluster document with the label at each worker that lets the fleet play its kubelet."""
    workers = [{**each, "labels": {**(each.get("labels") or {}), RUNTIME: SIMULATED}} for each in cluster["workers"]]
    return {**cluster, "workers": workers}


def _cluster(fields: Fields, called: str) -> dict[str, Any] | None:
    workers = fields.raw("workers")
    if workers is None:
        return None
    inside = Fields({"workers": workers}, fields.findings)
    collect_cluster(inside)
    if fields.broken("workers"):
        return None
    metadata = {"name": called}
    return simulated({"apiVersion": API_VERSION, "kind": CLUSTER, "metadata": metadata, "workers": workers})


def _pace(fields: Fields) -> Pace:
    usual = Pace()
    speed = fields.read("gibPerSecond", number, usual.gib_per_s)
    if not speed:
        fields.add("a model would never be loaded", "gibPerSecond", next="write more than 0, such as 4")
    beat_s = fields.read("heartbeat", duration_s, usual.heartbeat_s)
    if beat_s < 1:
        fields.add("heartbeats would come more than once a second", "heartbeat", next="write 1s or more")
    pace = Pace(
        start_s=fields.read("start", duration_s, usual.start_s),
        gib_per_s=speed,
        longest_load_s=fields.read("longestLoad", duration_s, usual.longest_load_s),
        jitter=fields.read("jitter", rate, usual.jitter),
        job_s=fields.read("job", duration_s, usual.job_s),
        stop_s=fields.read("stop", duration_s, usual.stop_s),
        mig_s=fields.read("mig", duration_s, usual.mig_s),
        heartbeat_s=beat_s,
    )
    fields.finish()
    return pace


def _usage(fields: Fields) -> Usage:
    usual = Usage()
    usage = Usage(
        fields.read("gpuPercent", percent, usual.gpu_percent),
        fields.read("swingPercent", percent, usual.swing_percent),
        fields.read("period", duration_s, usual.period_s),
    )
    if not usage.period_s:
        fields.add("a pattern needs a period", "period", next="write more than 0, such as 60s")
    fields.finish()
    return usage


def _nodes(fields: Fields) -> NodeSettings:
    usual = NodeSettings()
    nodes = NodeSettings(
        fields.read("silence", duration_s, usual.silence_s),
        fields.read("eviction", duration_s, usual.eviction_s),
        fields.read("outageShare", rate, usual.outage_share),
        fields.read("sweep", duration_s, usual.sweep_s),
    )
    for key, value in (("silence", nodes.silence_s), ("sweep", nodes.sweep_s)):
        if value < 1:
            fields.add("it is less than a second", key, next="write 1s or more")
    fields.finish()
    return nodes


def _event(fields: Fields) -> Event:
    at_s = fields.need("at", duration_s, 0.0)
    every_s = fields.read("every", duration_s)
    if every_s is not None and every_s < 1:
        fields.add("it would happen more than once a second", "every", next="write 1s or more")
    event = Event(at_s, _fault(fields), every_s)
    fields.finish()
    return event


def _rate(fields: Fields) -> Rate:
    found = Rate(fields.need("perHour", number, 0.0), _fault(fields))
    if found.fault.do is not Do.RECOVER and found.fault.lasts_s is None and found.fault.do is not Do.CRASH:
        fields.add("what happens by chance must end again", "for", next="write how long it lasts, such as for: 5m")
    fields.finish()
    return found


def _fault(fields: Fields) -> Fault:
    do = fields.need("do", _do, Do.FAIL)
    key, other = ("pod", "worker") if do in OF_PODS else ("worker", "pod")
    if fields.raw(other) is not None:
        fields.add(f"{do} happens to a {key}", other, next=f"write {key}: NAME")
    usual = Fault(do)
    for which, extra in _EXTRA.items():
        if which is not do and fields.raw(extra) is not None:
            fields.warn_ignored(extra, f"it has no effect on {do}")
    fault = Fault(
        do,
        fields.need(key, name, "*"),
        fields.read("for", duration_s),
        fields.read("period", duration_s, usual.period_s),
        fields.read("factor", number, usual.factor),
        fields.read("card", count, usual.card),
        fields.read("notice", duration_s, usual.notice_s),
    )
    if do is Do.FLAP and fault.lasts_s is None:
        fields.add("it is not said how long", "for", next="write for: 10m")
    if do is Do.FLAP and fault.period_s < 1:
        fields.add("the worker would flap more than once a second", "period", next="write 1s or more")
    if do is Do.SLOW and not fault.factor:
        fields.add("nothing would take any time", "factor", next="write more than 0, such as 3")
    return fault
