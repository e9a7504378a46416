"""The benchmark of metrics measures what it says."""

from bench import metrics

from bayplan.telemetry.metrics.exposition import Style
from bayplan.telemetry.metrics.registry import Metrics
from metrics_text import READERS

GOALS = {
    "metrics/event/cpu",
    "metrics/request/cpu",
    "metrics/scrape/240-cards/unchanged",
    "metrics/scrape/240-cards/changed",
    "metrics/scrape/240-cards/longest-hold",
    "metrics/plugins/timed-to-alone",
}


def test_every_goal_has_a_row(monkeypatch):
    monkeypatch.setattr(metrics, "CALLS", 50)
    monkeypatch.setattr(metrics, "ROUNDS", 1)
    seen = []
    text = Metrics.text
    monkeypatch.setattr(Metrics, "text", lambda self, style: seen.append(text(self, style)) or seen[-1])

    rows = list(metrics.rows(lambda _: None, workers=30, decisions=5))

    assert {row.name for row in rows if row.goal is not None} == GOALS
    cards = {family.name: family for family in READERS[Style.PROMETHEUS](seen[-1])}[
        "neuronetes_gpu_utilization_percent"
    ]
    assert len(cards.samples) == 240
