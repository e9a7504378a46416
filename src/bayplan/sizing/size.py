"""The size of a model: what the user states, then what its files state; what neither states stays unknown."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from bayplan.cluster.readable import format_mib
from bayplan.sizing.cache_need import GIVEN, Sequences, bytes_of_value, cache_bytes, cache_need, is_windowed
from bayplan.sizing.facts import HALF_BITS_ENGINES, Files, Held, KvLayers, ModelFiles, Traits
from bayplan.sizing.need import MIB, Need
from bayplan.sizing.notes import Notes
from bayplan.sizing.overhead import Overhead, overhead_of, step_of

if TYPE_CHECKING:
    from bayplan.cluster.model import Architecture, ModelPart, ModelSpec
    from bayplan.sizing.engine import Engine

NO_FILES = ModelFiles()
HALF_BITS = Fraction(16)


def size(spec: ModelSpec, files: ModelFiles | None, engine: Engine) -> Need:
    """What one replica needs, with the source of every number; an unknown number is None and a warning asks for it."""
    files = files or NO_FILES
    told = files.model or Files()
    traits = _traits(spec.architecture, told.traits)
    notes = Notes(warnings=[*files.warnings, *told.warnings])
    context = _context(spec, engine, traits, notes)
    concurrency = spec.concurrency or (engine.concurrency if engine.name == "llama-cpp" else None)
    sequences = Sequences(context, concurrency or 1, step_of(traits, engine, context, spec.concurrency))
    if told.traits is not None:
        notes.sources["architecture"] = told.traits_source
    weights = _weights(spec, files, engine, notes)
    cache = cache_need(spec, engine, traits, sequences, notes)
    overhead = _overhead(spec, files, engine, traits, sequences, notes)
    whole_tower = traits.never_cut_tower or engine.whole_tower
    windowed = is_windowed(traits, engine)
    counts_step = windowed and engine.name != "sglang" and spec.kv_cache_mib is None
    _warn(spec, engine, traits, notes)
    return Need(
        weights_bytes=None if weights is None else weights.total_bytes,
        kv_bytes=cache.total_bytes,
        overhead=overhead,
        whole_bytes=weights.tower_bytes if weights is not None and whole_tower else 0,
        state_bytes=cache.state_bytes,
        heads=traits.heads,
        kv_heads=traits.kv_heads,
        layers=traits.layers,
        vocab_size=traits.vocab_size,
        vision_heads=None if whole_tower else traits.vision_heads,
        block_sizes=_block_sizes(traits, engine),
        block=traits.blocks.size if traits.blocks is not None else 0,
        is_mla=traits.is_mla,
        is_moe=traits.is_moe,
        context=context,
        max_context=traits.max_context,
        concurrency=sequences.concurrency,
        step_tokens=sequences.step.tokens if counts_step or not overhead.given else None,
        sequences=sequences.step.sequences,
        kv_given=spec.kv_cache_mib is not None,
        takes_rest=spec.kv_rest,
        windowed=windowed,
        stateful=traits.is_stateful,
        sources=(*notes.sources.items(), ("total_mib", "the sum, on one card")),
        warnings=tuple(notes.warnings),
        weight_bits=_weight_bits(told, engine) if spec.weights_mib is None else None,
        unknown=f"the need is unknown: give {' and '.join(notes.missing)}" if notes.missing else None,
    )


def _traits(given: Architecture, told: Traits | None) -> Traits:
    """The traits of the files, with numbers of the user in their place; 0 counts as not stated."""
    base = told or Traits()
    traits = replace(
        base,
        heads=given.heads or base.heads,
        kv_heads=base.kv_heads if base.is_mla else given.kv_heads or base.kv_heads,
        layers=given.layers or base.layers,
        vocab_size=given.vocab_size or base.vocab_size,
        hidden_size=given.hidden_size or base.hidden_size,
        head_dim=given.head_dim or base.head_dim,
        vision_heads=given.vision_heads or base.vision_heads,
    )
    if base.is_mla or (told is not None and not (given.kv_heads or given.layers or given.head_dim)):
        return traits
    plain = _plain_attention(traits)
    return replace(traits, attention=plain, assumed=None) if plain else traits


def _plain_attention(traits: Traits) -> tuple[KvLayers, ...] | None:
    """A KV cache of the whole context in every layer; None where a number is missing."""
    head_dim = traits.head_dim or (traits.hidden_size // traits.heads if traits.hidden_size and traits.heads else None)
    kv_heads = traits.kv_heads or traits.heads
    if not (traits.layers and kv_heads and head_dim):
        return None
    return (KvLayers(traits.layers, 2 * kv_heads * head_dim),)


def _context(spec: ModelSpec, engine: Engine, traits: Traits, notes: Notes) -> int | None:
    for context, source in (
        (spec.context, GIVEN),
        (_flag_context(spec, engine), "flag of the engine"),
        (traits.max_context, "the model's longest"),
    ):
        if context:
            notes.sources["context"] = source
            if traits.max_context and context > traits.max_context:
                longest = f"{context:,} tokens are more than the model's {traits.max_context:,}"
                notes.warnings.append(f"{longest}; lower the context, unless the engine stretches it")
            return context
    return None


def _flag_context(spec: ModelSpec, engine: Engine) -> int | None:
    """The context of one sequence by the flags; that of llama.cpp is the sum over all its slots."""
    if engine.context is None or engine.name != "llama-cpp":
        return engine.context
    return max(1, engine.context // (engine.concurrency or spec.concurrency or 1))


def _weights(spec: ModelSpec, files: ModelFiles, engine: Engine, notes: Notes) -> Held | None:
    told = files.model or Files()
    held = told.weights.held(engine) if told.weights is not None else None
    if spec.weights_mib is not None:
        given = spec.weights_mib * MIB
        own, source = Held(given, min(given, held.tower_bytes if held is not None else 0)), GIVEN
    elif held is not None:
        own, source = held, told.weights_source
    else:
        notes.missing.append("model.weights")
        notes.warnings.append("the size of the weights is unknown; give model.weights, or the path of its files")
        return None
    total = own.total_bytes
    parts = [(f"loras[{number}]", part) for number, part in enumerate(spec.loras)]
    if spec.draft is not None:
        parts.append(("draft", spec.draft))
    for name, part in parts:
        extra = _part_bytes(part, files, engine)
        if extra is None:
            notes.missing.append(f"the size of model.{name}")
            notes.warnings.append(f"the size of {name} is unknown; give it instead of its path")
            return None
        total += extra
        source += f", plus {name} {format_mib(-(-extra // MIB))}"
    notes.sources["weights_mib"] = source
    return Held(total, own.tower_bytes)


def _part_bytes(part: ModelPart, files: ModelFiles, engine: Engine) -> int | None:
    if part.size_mib is not None:
        return part.size_mib * MIB
    told = files.parts.get(part.path or "")
    return None if told is None or told.weights is None else told.weights.held(engine).total_bytes


def _weight_bits(told: Files, engine: Engine) -> Fraction | None:
    if told.weight_bits is None or engine.name not in HALF_BITS_ENGINES:
        return told.weight_bits
    return min(told.weight_bits, HALF_BITS)


def _block_sizes(traits: Traits, engine: Engine) -> tuple[int, ...]:
    """Inner sizes that tensor parallel may cut only between blocks; expert parallel does not cut experts."""
    if traits.blocks is None:
        return ()
    return traits.blocks.dense + (() if engine.whole_experts else traits.blocks.experts)


def _overhead(
    spec: ModelSpec, files: ModelFiles, engine: Engine, traits: Traits, sequences: Sequences, notes: Notes
) -> Overhead:
    """The overhead of each card, as given or by the formula."""
    if spec.overhead_mib is not None:
        notes.sources["overhead_mib"] = GIVEN
        notes.sources["activations_mib"] = "counted in overhead_mib"
        return Overhead.of(spec.overhead_mib)
    overhead, source = overhead_of(traits, engine, sequences.step, sequences.context)
    draft = _draft_kv_mib(spec, files, engine, sequences)
    notes.sources["activations_mib"] = source
    notes.sources["overhead_mib"] = f"constant for {engine.name}" + (
        f", plus the KV cache of the draft, {format_mib(draft)}" if draft else ""
    )
    return overhead.plus(draft)


def _draft_kv_mib(spec: ModelSpec, files: ModelFiles, engine: Engine, sequences: Sequences) -> int:
    """The cache of a draft model whose files state it; each card holds all of it: its few heads are not divided."""
    told = files.parts.get(spec.draft.path or "") if spec.draft is not None else None
    traits = told.traits if told is not None else None
    if traits is None or not traits.attention or sequences.context is None:
        return 0
    return -(-cache_bytes(traits.attention, traits.kind, engine, sequences, bytes_of_value(spec, engine)) // MIB)


def _warn(spec: ModelSpec, engine: Engine, traits: Traits, notes: Notes) -> None:
    if engine.dp > 1 and traits.is_moe:
        notes.warnings.append(f"each of the {engine.dp} data-parallel copies is counted whole, experts included")
    told = engine.concurrency or spec.concurrency or spec.kv_cache_mib is not None
    if traits.is_stateful and not told:
        notes.warnings.append(
            "the model keeps a state for each sequence and concurrency is not given: it is sized for 1 sequence at a "
            "time; give model.concurrency for more"
        )
