"""The flags that an engine must be started with so that it takes what was booked, and no more."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.cluster.worker import Worker
    from bayplan.placement.asking import Sized
    from bayplan.placement.placed import Placed

_PARALLEL = {
    "vllm": ("--tensor-parallel-size", "--pipeline-parallel-size"),
    "sglang": ("--tp-size", "--pp-size"),
}
_STEPS = 10_000


def engine_args(sized: Sized, placed: Placed, workers: Sequence[Worker]) -> list[str]:
    """Flags beside those that the user gave: how the model is divided, and the share of each card.

    The share comes from the chosen cards alone. It is rounded up to four digits: what was booked must be enough.
    """
    engine, need = sized.engine, sized.need
    if need is None or engine.name not in _PARALLEL:
        return _layers(sized, placed)
    shape, args = placed.shape, []
    tp_flag, pp_flag = _PARALLEL[engine.name]
    if engine.tp is None and shape.tp > 1:
        args.append(f"{tp_flag}={shape.tp}")
    if engine.pp is None and shape.pp > 1:
        args.append(f"{pp_flag}={shape.pp}")
    if engine.fraction is None:
        sizes = _sizes(placed, workers)
        if sizes:
            flag, taken = "--gpu-memory-utilization", shape.need_mib
            if engine.name == "sglang":
                flag, taken = "--mem-fraction-static", shape.need_mib - need.overhead_on(shape.tp, shape.pp)
            args.append(f"{flag}={_share(taken, min(sizes))}")
    return args


def _share(taken_mib: int, size_mib: int) -> str:
    steps = min(_STEPS, -(-Fraction(taken_mib * _STEPS, size_mib) // 1))
    return f"{steps / _STEPS:.4f}"


def _sizes(placed: Placed, workers: Sequence[Worker]) -> list[int]:
    sizes = []
    for booking, worker in zip(placed.bookings, workers, strict=True):
        for card in booking.cards:
            gpu = None if card.card is None else worker.gpu(card.card)
            if gpu is not None and gpu.memory_mib:
                sizes.append(gpu.memory_mib)
    return sizes


def _layers(sized: Sized, placed: Placed) -> list[str]:
    if sized.engine.name != "llama-cpp" or sized.engine.gpu_layers is not None or sized.need is None:
        return []
    held = [part.layers for part in placed.parts if part.layers is not None]
    if not placed.bookings or not any(booking.cards for booking in placed.bookings):
        return ["--gpu-layers=0"]
    return [f"--gpu-layers={sum(held)}"] if held else []
