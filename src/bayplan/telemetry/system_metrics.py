"""The metrics of a whole system: what each of its parts reports to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.telemetry.api_metrics import ApiMetrics
from bayplan.telemetry.card_metrics import show_cards
from bayplan.telemetry.ledger_metrics import ask_ledger
from bayplan.telemetry.loop_metrics import LoopMetrics, ask_queue
from bayplan.telemetry.metrics.registry import Metrics
from bayplan.telemetry.object_metrics import ObjectMetrics
from bayplan.telemetry.plugin_metrics import PluginMetrics
from bayplan.telemetry.process_metrics import LoopDelay, ask_process
from bayplan.telemetry.serving_metrics import ask_serving
from bayplan.telemetry.store_metrics import StoreMetrics

if TYPE_CHECKING:
    from bayplan.control.system import ControlSystem


class SystemMetrics:
    """One for each process. `start` and `stop` belong to the event loop; counting works without them."""

    def __init__(self) -> None:
        self.metrics = Metrics()
        self.loops = LoopMetrics(self.metrics)
        self.store = StoreMetrics(self.metrics)
        self.api = ApiMetrics(self.metrics)
        self.plugins = PluginMetrics(self.metrics)
        """For the schedulers of placement, as one of their `observers`."""
        self._delay = LoopDelay(self.metrics)
        ask_process(self.metrics)

    def follow(self, control: ControlSystem) -> None:
        """Ask the loops for their states at each scrape; before they are started."""
        live = control.scheduling.live
        ObjectMetrics(self.metrics, control.cache)
        ask_serving(self.metrics, control.cache)
        ask_queue(self.metrics, control.queue_lengths)
        ask_ledger(self.metrics, lambda: live.state.ledger)
        beats = control.heartbeats
        show_cards(self.metrics, lambda: live.state.snapshot.workers, lambda: dict(beats.measured()))

    def start(self) -> None:
        self._delay.start()

    def stop(self) -> None:
        self._delay.stop()
