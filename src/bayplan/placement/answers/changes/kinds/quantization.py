"""Weights of fewer bits: an estimate from what they take now."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from bayplan.cluster.readable import format_mib
from bayplan.placement.answers.changes.edits import with_model
from bayplan.sizing.need import MIB

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.cluster.workload import Shape
    from bayplan.placement.answers.changes.ladder import Ladder
    from bayplan.placement.answers.changes.look import ExaminedRole, Look

CHANGE = "quantization"
ASSUMED_BITS = Fraction(16)
TAKEN_BITS = {8: Fraction(9), 4: Fraction(23, 4)}
"""The average number of bits of a weight where the matrices have the key's number: embeddings keep 16, and groups
have scales. As in quantised models of 8 billion weights; larger ones take less."""


def ladders(look: Look) -> Iterator[Ladder]:
    """8 bits, then 4, where that is less; weights given as a number count as 16 bits, and the answer says so."""
    for part in look.parts:
        own_bytes, bits = _own_bytes(part), _bits(part)
        if own_bytes is None or bits is None:
            continue
        sizes = {step: _size_mib(own_bytes, bits, step) for step, taken in TAKEN_BITS.items() if taken < bits}
        if sizes:
            yield _ladder(part, own_bytes, bits, sizes)


def _ladder(part: ExaminedRole, own_bytes: int, bits: Fraction, sizes: dict[int, int]) -> Ladder:
    now_mib = -(-own_bytes // MIB)
    known = part.sized.need is not None and part.sized.need.weight_bits is not None
    assumed = "an estimate" if known else f"an estimate, if they are {float(bits):g}-bit weights now"
    return part.ladder(
        CHANGE,
        "model.weights",
        {"bits": float(bits) if known else None, "weights_mib": now_mib},
        tuple(sizes),
        lambda shape, step: _with_weights(shape, sizes[step]),
        lambda step, _: (
            f"weights in {step} bits: about {format_mib(sizes[step])} instead of {format_mib(now_mib)} ({assumed})"
        ),
        named=lambda step: f"{step} bits",
        shown=lambda step: {"bits": step, "weights_mib": sizes[step]},
        estimate=True,
    )


def _own_bytes(part: ExaminedRole) -> int | None:
    """The weights of the model itself; adapters and a draft stay as they are."""
    model = part.shape.model
    if model is None:
        return None
    alone = part.resize(with_model(part.shape, loras=(), draft=None)).need
    return None if alone is None else alone.weights_bytes


def _bits(part: ExaminedRole) -> Fraction | None:
    need, model = part.sized.need, part.shape.model
    if need is None or model is None:
        return None
    return ASSUMED_BITS if model.weights_mib is not None else need.weight_bits


def _size_mib(own_bytes: int, bits: Fraction, step: int) -> int:
    size = own_bytes * TAKEN_BITS[step] / (bits * MIB)
    return -(-size.numerator // size.denominator)


def _with_weights(shape: Shape, size_mib: int) -> Shape:
    return with_model(shape, weights_mib=size_mib)
