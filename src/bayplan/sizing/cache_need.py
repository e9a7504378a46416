"""The KV cache and the states of a replica, as given by the user or counted from its layers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.cluster.quantities import MAX_MIB
from bayplan.framework.errors import InputError
from bayplan.sizing.kv_cache import (
    engine_value_bytes,
    kept_tokens,
    kv_cache_bytes,
    state_bytes,
    uses_windows,
    value_bytes,
)
from bayplan.sizing.need import MIB

if TYPE_CHECKING:
    from fractions import Fraction

    from bayplan.cluster.model import ModelSpec
    from bayplan.sizing.engine import Engine
    from bayplan.sizing.facts import Attention, Traits
    from bayplan.sizing.notes import Notes
    from bayplan.sizing.overhead import Step

GIVEN = "given"


@dataclass(frozen=True, slots=True)
class Sequences:
    """The number of sequences, their length, and the step in which an engine processes them."""

    context: int | None
    concurrency: int
    step: Step


@dataclass(frozen=True, slots=True)
class CacheNeed:
    """Bytes of the cache with its states, and of the states alone; None where they are not known."""

    total_bytes: int | None
    state_bytes: int = 0


def cache_need(spec: ModelSpec, engine: Engine, traits: Traits, sequences: Sequences, notes: Notes) -> CacheNeed:
    """The cache as the user gave it, else counted from the layers of the model."""
    _refuse_rest(spec, engine)
    if spec.kv_cache_mib is not None:
        notes.sources["kv_mib"] = GIVEN
        return CacheNeed(spec.kv_cache_mib * MIB)
    if spec.kv_rest and _is_unknown(traits, sequences):
        notes.sources["kv_mib"] = "the rest of the card; what it must hold at least is not known"
        return CacheNeed(0)
    if traits.attention is None or traits.states is None:
        _ask_for_cache(traits, notes)
        return CacheNeed(None)
    states = state_bytes(traits.states, engine) * sequences.concurrency
    if not traits.attention:
        notes.sources["kv_mib"] = _states_text(states) if states else "the model keeps no KV cache"
        return CacheNeed(states, states)
    if sequences.context is None:
        notes.missing.append("model.context, or model.kvCache")
        notes.warnings.append("the KV cache is unknown; give model.context, or model.kvCache")
        return CacheNeed(None)
    each = bytes_of_value(spec, engine)
    whose = "" if spec.context else f" ({notes.sources['context']})"
    unit = f"{each} byte{'' if each == 1 else 's'} a value"
    notes.sources["kv_mib"] = (
        f"{sequences.context:,} tokens{whose} x {sequences.concurrency:,}, {unit}"
        + (f", {_states_text(states)}" if states else "")
        + (", assumed: an upper bound" if traits.assumed else "")
    )
    if traits.assumed:
        notes.warnings.append(traits.assumed)
    return CacheNeed(cache_bytes(traits.attention, traits.kind, engine, sequences, each) + states, states)


def _refuse_rest(spec: ModelSpec, engine: Engine) -> None:
    if spec.kv_rest and not engine.divides_layers:
        message = f"only vllm and sglang take the rest of a card for their KV cache, not {engine.name}"
        step = "write a size such as 2Gi, or choose one of these backends"
        raise InputError(message, place="model.kvCache", next=step)


def _is_unknown(traits: Traits, sequences: Sequences) -> bool:
    """Whether nothing says how large the cache is for the context that is asked for."""
    if traits.attention is None or traits.states is None:
        return True
    return bool(traits.attention) and sequences.context is None


def _states_text(states: int) -> str:
    return f"states of {-(-states // MIB):,} MiB"


def _ask_for_cache(traits: Traits, notes: Notes) -> None:
    notes.missing.append("model.kvCache (0 where the engine keeps none), or model.architecture and model.context")
    whose = f"of the kind {traits.kind!r} " if traits.kind else ""
    notes.warnings.append(f"the KV cache {whose}is unknown; give model.kvCache, or the numbers of model.architecture")


def cache_bytes(attention: Attention, kind: str, engine: Engine, sequences: Sequences, each: Fraction) -> int:
    """The cache without states, as long as it is a number of MiB that the ledger can hold."""
    context = sequences.context or 0
    tokens = [kept_tokens(layers, context, engine, kind, sequences.step.tokens) for layers in attention]
    needed = kv_cache_bytes(attention, tokens, each) * sequences.concurrency
    if needed > MAX_MIB * MIB:
        message = f"a KV cache for {context:,} tokens x {sequences.concurrency:,} is too large to be counted"
        raise InputError(message, place="model.context", next="check context, concurrency and architecture")
    return needed


def bytes_of_value(spec: ModelSpec, engine: Engine) -> Fraction:
    """Bytes of one cached number: what the model field says, else what the flags of the engine say."""
    return value_bytes(spec.kv_dtype, "kvDtype") if spec.kv_dtype else engine_value_bytes(engine)


def is_windowed(traits: Traits, engine: Engine) -> bool:
    """Whether a layer has a window that this engine uses, with this context or with a longer one."""
    in_use = uses_windows(engine, traits.kind) or engine.name == "sglang"
    return in_use and any(layers.window for layers in traits.attention or ())
