"""How large a model is: what its owner says, then what its files say, then nothing."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from bayplan.cluster.quantities import MAX_MIB
from bayplan.cluster.readable import format_mib
from bayplan.framework.errors import InputError
from bayplan.sizing.facts import Files, KvLayers, ModelFiles, Traits
from bayplan.sizing.kv_cache import engine_value_bytes, kv_cache_bytes, value_bytes
from bayplan.sizing.need import MIB, Need
from bayplan.sizing.overhead import Overhead, overhead_of, step_of

if TYPE_CHECKING:
    from fractions import Fraction

    from bayplan.cluster.model import Architecture, ModelPart, ModelSpec
    from bayplan.sizing.engine import Engine
    from bayplan.sizing.overhead import Step

GIVEN = "given"
NO_FILES = ModelFiles()


@dataclass(slots=True)
class _Notes:
    """What is said about the numbers while they are found."""

    sources: dict[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


def size(spec: ModelSpec, files: ModelFiles | None, engine: Engine) -> Need:
    """What one replica needs, with the source of every number; what nobody told stays None and is asked for."""
    files = files or NO_FILES
    told = files.model or Files()
    traits = _traits(spec.architecture, told.traits)
    notes = _Notes(warnings=[*files.warnings, *told.warnings])
    context = _context(spec, engine, traits, notes)
    if told.traits is not None:
        notes.sources["architecture"] = told.traits_source
    weights_bytes = _weights(spec, files, notes)
    kv_bytes = _kv(spec, engine, traits, context, notes)
    step = step_of(traits, engine, context, spec.concurrency)
    overhead = _overhead(spec, files, engine, traits, context, step, notes)
    windowed = engine.keeps_windows and any(layers.window for layers in traits.attention or ())
    if engine.dp > 1 and traits.is_moe:
        notes.warnings.append(f"each of the {engine.dp} data-parallel copies is counted whole, experts included")
    return Need(
        weights_bytes=weights_bytes,
        kv_bytes=kv_bytes,
        overhead=overhead,
        heads=traits.heads,
        kv_heads=traits.kv_heads,
        layers=traits.layers,
        vocab_size=traits.vocab_size,
        vision_heads=traits.vision_heads,
        is_mla=traits.is_mla,
        is_moe=traits.is_moe,
        context=context,
        max_context=traits.max_context,
        concurrency=spec.concurrency or 1,
        step_tokens=step.tokens if windowed or not overhead.given else None,
        sequences=step.sequences,
        kv_given=spec.kv_cache_mib is not None,
        windowed=windowed,
        stateful=traits.is_stateful,
        sources=(*notes.sources.items(), ("total_mib", "the sum, on one card")),
        warnings=tuple(notes.warnings),
        weight_bits=told.weight_bits if spec.weights_mib is None else None,
        unknown=f"the need is unknown: give {' and '.join(notes.missing)}" if notes.missing else None,
    )


def _traits(given: Architecture, told: Traits | None) -> Traits:
    """What files say, with the numbers of the owner in their place; a 0 says nothing."""
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
        return traits  # familiar fields of an unknown architecture do not say what its layers keep
    return replace(traits, attention=_plain_attention(traits) or base.attention)


def _plain_attention(traits: Traits) -> tuple[KvLayers, ...] | None:
    """Keys and values of every layer, all the way back; None while a number is missing."""
    head_dim = traits.head_dim or (traits.hidden_size // traits.heads if traits.hidden_size and traits.heads else None)
    kv_heads = traits.kv_heads or traits.heads
    if not (traits.layers and kv_heads and head_dim):
        return None
    return (KvLayers(traits.layers, 2 * kv_heads * head_dim),)


def _context(spec: ModelSpec, engine: Engine, traits: Traits, notes: _Notes) -> int | None:
    for context, source in (
        (spec.context, GIVEN),
        (engine.context, "flag of the engine"),
        (traits.max_context, "the model's longest"),
    ):
        if context:
            notes.sources["context"] = source
            if traits.max_context and context > traits.max_context:
                longest = f"{context:,} tokens are more than the model's {traits.max_context:,}"
                notes.warnings.append(f"{longest}; lower the context, unless the engine stretches it")
            return context
    return None


def _weights(spec: ModelSpec, files: ModelFiles, notes: _Notes) -> int | None:
    told = files.model or Files()
    if spec.weights_mib is not None:
        own, source = spec.weights_mib * MIB, GIVEN
    elif told.weights_bytes is not None:
        own, source = told.weights_bytes, told.weights_source
    else:
        notes.missing.append("model.weights")
        notes.warnings.append("the size of the weights is unknown; give model.weights, or the path of its files")
        return None
    parts = [(f"loras[{number}]", part) for number, part in enumerate(spec.loras)]
    if spec.draft is not None:
        parts.append(("draft", spec.draft))
    for name, part in parts:
        extra = _part_bytes(part, files)
        if extra is None:
            notes.missing.append(f"the size of model.{name}")
            notes.warnings.append(f"the size of {name} is unknown; give it instead of its path")
            return None
        own += extra
        source += f", plus {name} {format_mib(-(-extra // MIB))}"
    notes.sources["weights_mib"] = source
    return own


def _part_bytes(part: ModelPart, files: ModelFiles) -> int | None:
    if part.size_mib is not None:
        return part.size_mib * MIB
    told = files.parts.get(part.path or "")
    return None if told is None else told.weights_bytes


def _kv(spec: ModelSpec, engine: Engine, traits: Traits, context: int | None, notes: _Notes) -> int | None:
    if spec.kv_cache_mib is not None:
        notes.sources["kv_mib"] = GIVEN
        return spec.kv_cache_mib * MIB
    if traits.attention == ():
        notes.sources["kv_mib"] = "the model keeps no KV cache"
        return 0
    if traits.attention is None:
        notes.missing.append("model.kvCache (0 where the engine keeps none), or model.architecture and model.context")
        whose = f"of the unknown architecture {traits.kind!r} " if traits.kind else ""
        notes.warnings.append(
            f"the KV cache {whose}is unknown; give model.kvCache, or the numbers of model.architecture"
        )
        return None
    if context is None:
        notes.missing.append("model.context, or model.kvCache")
        notes.warnings.append("the KV cache is unknown; give model.context, or model.kvCache")
        return None
    each = _each(spec, engine)
    whose = "" if spec.context else f" ({notes.sources['context']})"
    notes.sources["kv_mib"] = f"{context:,} tokens{whose} x {spec.concurrency or 1:,}, {_bytes_text(each)} a value"
    return _cache_bytes(traits.attention, context, spec.concurrency or 1, each)


def _bytes_text(each: object) -> str:
    return f"{each} byte{'' if each == 1 else 's'}"


def _overhead(
    spec: ModelSpec,
    files: ModelFiles,
    engine: Engine,
    traits: Traits,
    context: int | None,
    step: Step,
    notes: _Notes,
) -> Overhead:
    """What each card keeps besides, as given or by the formula."""
    if spec.overhead_mib is not None:
        notes.sources["overhead_mib"] = GIVEN
        notes.sources["activations_mib"] = "counted in overhead_mib"
        return Overhead.of(spec.overhead_mib)
    overhead, source = overhead_of(traits, engine, step, context)
    draft = _draft_kv_mib(spec, files, engine, context)
    notes.sources["activations_mib"] = source
    notes.sources["overhead_mib"] = f"constant for {engine.name}" + (
        f", plus the KV cache of the draft, {format_mib(draft)}" if draft else ""
    )
    return overhead.plus(draft)


def _draft_kv_mib(spec: ModelSpec, files: ModelFiles, engine: Engine, context: int | None) -> int:
    """The cache of a draft whose files tell it, whole on each card: a draft has too few heads to cut it finely."""
    told = files.parts.get(spec.draft.path or "") if spec.draft is not None else None
    attention = told.traits.attention if told is not None and told.traits is not None else None
    if not attention or context is None:
        return 0
    return -(-_cache_bytes(attention, context, spec.concurrency or 1, _each(spec, engine)) // MIB)


def _cache_bytes(attention: tuple[KvLayers, ...], context: int, concurrency: int, each: Fraction) -> int:
    """The cache, as long as it is a number of MiB that the ledger can hold."""
    needed = kv_cache_bytes(attention, context, concurrency, each)
    if needed > MAX_MIB * MIB:
        message = f"a KV cache for {context:,} tokens x {concurrency:,} is too large to be counted"
        raise InputError(message, place="model.context", next="check context, concurrency and architecture")
    return needed


def _each(spec: ModelSpec, engine: Engine) -> Fraction:
    return value_bytes(spec.kv_dtype, "kvDtype") if spec.kv_dtype else engine_value_bytes(engine)
