"""The use of each card: tens of thousands of series, whose text is kept for as long as a worker's measurements are."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from bayplan.cluster.worker import WorkerStatus
from bayplan.telemetry.metrics import catalogue
from bayplan.telemetry.metrics.exposition import escaped, number, series

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from bayplan.cluster.worker import Worker
    from bayplan.telemetry.metrics.definition import Definition
    from bayplan.telemetry.metrics.registry import Metrics

    Measured = Mapping[str, Mapping[str, Any]]
    """What workers told, by their names: `gpus` with `runtime`, `index` and `gpuPercent` of each card."""

_AT_ONCE = 128  # workers of one piece: a thousand cards take about a millisecond when all of them changed


class CardUtilization:
    """One series for each card that was measured, of workers that answer.

    What a worker told with its last heartbeat counts before what its Node says. Workers are values that are replaced
    when anything about them changes, and so is what they measured. The text of a worker holds while both are the same
    objects; a simulated fleet works its measurements out anew each time.
    """

    def __init__(self, workers: Callable[[], Sequence[Worker]], measured: Callable[[], Measured]) -> None:
        self.about: Definition = catalogue.GPU_UTILIZATION
        self.dropped = 0
        self._workers, self._measured = workers, measured
        self._kept: dict[str, _Kept] = {}

    def lines(self) -> Iterator[str]:
        workers, measured = tuple(self._workers()), self._measured()
        before, self._kept = self._kept, {}
        count = 0
        for start in range(0, len(workers), _AT_ONCE):
            texts = []
            for worker in workers[start : start + _AT_ONCE]:
                told = measured.get(worker.name)
                kept = before.get(worker.name)
                if kept is None or kept.worker is not worker or kept.told is not told or type(told) not in _FIXED:
                    kept = _Kept(worker, told, *_text(worker, told))
                self._kept[worker.name] = kept
                count += kept.series
                if count <= self.about.most_series:
                    texts.append(kept.text)
                else:
                    self.dropped += kept.series
            yield "".join(texts)


class _Kept(NamedTuple):
    worker: Worker
    told: Mapping[str, Any] | None
    text: str
    series: int


_FIXED = (dict, type(None))


def show_cards(
    metrics: Metrics, workers: Callable[[], Sequence[Worker]], measured: Callable[[], Measured] = dict
) -> None:
    """Write the use of the cards of these workers at each scrape; `measured` is what workers told, by their names."""
    metrics.instead(CardUtilization(workers, measured))


def _text(worker: Worker, told: Mapping[str, Any] | None) -> tuple[str, int]:
    """The lines of a worker, and how many they are."""
    if worker.status is WorkerStatus.NOT_READY:
        return "", 0
    percents = _percents(worker, told)
    node, lines = escaped(worker.name), []
    for gpu in worker.gpus if percents else ():
        percent = percents.get((gpu.runtime, gpu.index))
        if percent is not None:
            before, after = _around_node(gpu.runtime, gpu.index, gpu.model or "unknown")
            lines.append(f"{before}{node}{after}{number(percent)}\n")
    return "".join(lines), len(lines)


def _percents(worker: Worker, told: Mapping[str, Any] | None) -> dict[tuple[object, object], float | None]:
    """By runtime and index of the card; a worker tells what it likes, and what is no number is left out."""
    found: dict[tuple[object, object], float | None] = {}
    if worker.utilization is not None:
        found = {(each.runtime, each.index): each.gpu_percent for each in worker.utilization.gpus}
    listed = told.get("gpus") if told is not None else None
    for each in listed if isinstance(listed, list) else ():
        card = (each.get("runtime", "cuda"), each.get("index")) if isinstance(each, dict) else ("", "")
        percent = each.get("gpuPercent") if isinstance(each, dict) else None
        if isinstance(card[0], str) and type(card[1]) is int and type(percent) in (int, float):
            found[card] = percent
    return found


@lru_cache(maxsize=4096)  # models times cards of a worker; names of nodes would be too many
def _around_node(runtime: str, index: int, model: str) -> tuple[str, str]:
    """What stands before and after the name of the node in the line of a card."""
    about, mark = catalogue.GPU_UTILIZATION, "\0"
    before, _, after = series(about.name, about.labels, (mark, f"{runtime}:{index}", model)).partition(mark)
    return before, f"{after} "
