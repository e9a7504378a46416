"""`bayplan estimate`: what a model needs, from its files or from numbers."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from bayplan.cli.card_text import gib
from bayplan.cli.errors import USAGE, warn
from bayplan.cli.output import Format, Sheet, emit
from bayplan.framework.errors import InputError
from bayplan.library.estimate import estimate as estimate_model
from bayplan.manifests.model_catalogue import catalogued

if TYPE_CHECKING:
    from collections.abc import Sequence

_PARTS = {
    "weights_mib": "weights",
    "kv_mib": "KV cache",
    "activations_mib": "activations",
    "overhead_mib": "engine",
    "total_mib": "one card",
}
_SHOWN_CARDS = 3  # the smallest cards that fit answer the question; -o wide shows all


def estimate(
    model: Annotated[
        str | None,
        Parameter(help="A model's folder, a .safetensors, .gguf or config.json file, or a published OWNER/MODEL."),
    ] = None,
    *,
    weights: Annotated[
        str | None, Parameter(help="Size of the weights, such as 131Gi; used instead of the files.")
    ] = None,
    context: Annotated[str | None, Parameter(help="Tokens of a sequence; default: the model's longest.")] = None,
    concurrency: Annotated[str | None, Parameter(help="Sequences at the same time; default: 1.")] = None,
    kv_dtype: Annotated[str | None, Parameter(help="Data type of the KV cache, such as fp16 or fp8.")] = None,
    kv_cache: Annotated[str | None, Parameter(help="Size of the KV cache of a whole replica.")] = None,
    overhead: Annotated[str | None, Parameter(help="Size of engine and activations on each card.")] = None,
    architecture: Annotated[
        str | None, Parameter(help="Numbers of the model: heads=64,kvHeads=8,layers=80,headDim=128.")
    ] = None,
    lora: Annotated[
        tuple[str, ...] | None,
        Parameter(help="Size or folder of a LoRA adapter; may be given several times.", negative=()),
    ] = None,
    draft: Annotated[str | None, Parameter(help="Size or folder of a draft model.")] = None,
    backend: Annotated[
        str | None, Parameter(help="vllm, sglang, llama-cpp or custom; default: the shapes of vllm.")
    ] = None,
    tp: Annotated[str | None, Parameter(help="Tensor parallel size; default: every size that works.")] = None,
    pp: Annotated[str | None, Parameter(help="Pipeline parallel size; default: every size that works.")] = None,
    output: Format = "table",
) -> None:
    """Say what a model needs: weights, KV cache, activations and engine, and what a card holds of it when it is cut."""
    if model is None and weights is None:
        step = "name a model's folder or file, or give --weights (see bayplan estimate --help)"
        raise InputError("there is nothing to size", place="bayplan estimate", next=step, code=USAGE)
    document = estimate_model(
        **_named(model),
        weights=weights,
        context=context,
        concurrency=concurrency,
        kvDtype=kv_dtype,
        kvCache=kv_cache,
        overhead=overhead,
        architecture=_numbers(architecture),
        loras=lora and list(lora),
        draft=draft,
        backend=backend,
        tp=tp,
        pp=pp,
    )
    for warning in document["warnings"]:
        warn(warning)
    known = [row for row in document["per_gpu"] if row["mib"] is not None]
    shapes: list[str | Sheet] = ["", _shapes(known, wide=output == "wide")] if known else []
    emit(document, output, _parts(document), *shapes)


def _named(model: str | None) -> dict[str, str]:
    """A catalogued name is a published model unless a file has that name; any other text is a path."""
    if model is None:
        return {}
    by_name = not os.path.lexists(model) and catalogued(model) is not None
    return {"name" if by_name else "path": model}


def _numbers(text: str | None) -> dict[str, object] | None:
    """`heads=64,layers=80` as the field `architecture` of a document."""
    if text is None:
        return None
    pairs = [pair.partition("=") for pair in text.split(",") if pair.strip()]
    if not pairs or not all(equals for _, equals, _ in pairs):
        step = "write NAME=NUMBER,NAME=NUMBER"
        raise InputError(f"{text!r} is no list of numbers", place="--architecture", next=step, code=USAGE)
    return {name.strip(): value.strip() for name, _, value in pairs}


def _parts(document: dict[str, Any]) -> Sheet:
    sources = document["sources"]
    rows = [(words, gib(document[key]), sources.get(key, "")) for key, words in _PARTS.items()]
    return Sheet(("PART", "GiB", "SOURCE"), rows, sentences=("SOURCE",))


def _shapes(per_gpu: Sequence[dict[str, Any]], *, wide: bool) -> Sheet:
    rows = [
        (str(row["gpus"]), str(row["tp"]), str(row["pp"]), gib(row["mib"]), _cards(row["fits"], wide=wide))
        for row in per_gpu
    ]
    return Sheet(("CARDS", "TP", "PP", "GiB PER CARD", "FITS ON"), rows, sentences=("FITS ON",))


def _cards(names: Sequence[str], *, wide: bool) -> str:
    """The smallest few cards; all of them with -o wide."""
    if wide or len(names) <= _SHOWN_CARDS + 1:
        return ", ".join(names) or "-"
    return f"{', '.join(names[:_SHOWN_CARDS])} and {len(names) - _SHOWN_CARDS} more"
