"""`bayplan.estimate`: what a model needs, card by card, and where every number comes from."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bayplan.cluster.catalogue_table import CATALOGUE
from bayplan.cluster.model import ModelSpec
from bayplan.cluster.quantities import parse_count, shown
from bayplan.cluster.workload import Backend
from bayplan.framework.errors import InputError
from bayplan.manifests.fields import Fields, Findings
from bayplan.manifests.model_files import read_model_files
from bayplan.manifests.native.model import read_model
from bayplan.manifests.reader import Document
from bayplan.sizing.divisions import shapes, tp_obstacle
from bayplan.sizing.engine import CUSTOM, read_engine
from bayplan.sizing.need import MIB
from bayplan.sizing.size import size

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bayplan.sizing.engine import Engine
    from bayplan.sizing.need import Need

LISTED_CARDS = 16  # two machines of eight cards; more shapes would not fit on a screen
LISTED_STAGES = (2, 3, 4, 8)  # the numbers of machines that people use

NOMINAL_PERCENT = 92
"""A driver reports up to 8 % less than a card's nominal size: the rest is kept for error correction and firmware."""


def estimate(
    *,
    name: str | None = None,
    path: str | None = None,
    weights: object = None,
    kvCache: object = None,  # noqa: N803 (the names are those of the documents)
    overhead: object = None,
    context: object = None,
    concurrency: object = None,
    kvDtype: object = None,  # noqa: N803
    loras: Sequence[object] | None = None,
    draft: object = None,
    architecture: Mapping[str, object] | None = None,
    backend: object = None,
    tp: object = None,
    pp: object = None,
) -> dict[str, Any]:
    """The Estimate of a model; what cannot be known is null, and a warning says what to give.

    Arguments read as in a Workload's `model`; a `name` without files is looked up in the catalogue of published models.
    Without a backend the shapes are those of vLLM, and weights count as they are stored.
    """
    model = {
        "name": name,
        "path": None if path is None else str(path),
        "weights": weights,
        "kvCache": kvCache,
        "overhead": overhead,
        "context": context,
        "concurrency": concurrency,
        "kvDtype": kvDtype,
        "loras": loras,
        "draft": draft,
        "architecture": architecture,
    }
    engine = _engine(backend, tp, pp)
    spec, warnings = _spec({name: value for name, value in model.items() if value is not None})
    holds = CUSTOM if backend is None else engine  # what an engine that is not named does to weights is not known
    return document(size(spec, read_model_files(spec), holds), engine, warnings)


def document(need: Need, engine: Engine, warnings: Sequence[str] = ()) -> dict[str, Any]:
    """The Estimate of a need."""
    rows = [_row(need, engine, tp, pp) for tp, pp in _listed(need, engine)]
    overhead = need.overhead
    activations_mib = None if overhead is None else overhead.step_mib(1)
    return {
        "kind": "Estimate",
        "backend": engine.name,
        "weights_mib": _mib(need.weights_bytes),
        "kv_mib": _mib(need.kv_bytes),
        "activations_mib": activations_mib,
        "overhead_mib": None if overhead is None else overhead.alone_mib,
        "total_mib": None if need.unknown else need.card_mib(1, 1),
        "context": need.context,
        "concurrency": need.concurrency,
        "per_gpu": rows,
        "sources": dict(need.sources),
        "warnings": [*warnings, *need.warnings, *_obstacles(need, engine, rows)],
    }


def _spec(model: Mapping[str, object]) -> tuple[ModelSpec, list[str]]:
    findings = Findings(Document({"model": model}, "estimate"))
    spec = read_model(Fields({"model": model}, findings))
    findings.check()
    return spec or ModelSpec(), findings.warnings


def _engine(backend: object, tp: object, pp: object) -> Engine:
    engine = read_engine(_backend(backend))
    fixed_tp = engine.tp if tp is None else parse_count(tp, "tp", minimum=1)
    fixed_pp = engine.pp if pp is None else parse_count(pp, "pp", minimum=1)
    return replace(engine, tp=fixed_tp, pp=fixed_pp)


def _backend(backend: object) -> Backend:
    if backend is None:
        return Backend("vllm")
    if isinstance(backend, str):
        return Backend(backend)
    if not isinstance(backend, dict) or not isinstance(backend.get("name"), str):
        raise InputError(f"{shown(backend)} is no backend", place="backend", next="write a name, or {name, args}")
    args = backend.get("args") or []
    if not isinstance(args, list | tuple):
        raise InputError(f"{shown(args)} is no list", place="backend.args", next="write a list of flags")
    return Backend(backend["name"], tuple(map(str, args)))


def _listed(need: Need, engine: Engine) -> list[tuple[int, int]]:
    """The divisions that are listed: every allowed tp, and if the need is known some pipelines with the largest tp."""
    most = max(LISTED_CARDS, (engine.tp or 1) * (engine.pp or 1)) * engine.dp
    found: list[tuple[int, int]] = []
    stages = () if need.unknown else LISTED_STAGES
    seen: set[int] = set()
    for tp, pp in shapes(need, engine, most):
        if pp in (1, engine.pp) or (pp in stages and tp * pp not in seen):
            found.append((tp, pp))
            if pp > 1:
                seen.add(tp * pp)
    return found


def _row(need: Need, engine: Engine, tp: int, pp: int) -> dict[str, Any]:
    mib = None if need.unknown else need.card_mib(tp, pp)
    cards = tp * pp * engine.dp
    return {"tp": tp, "pp": pp, "gpus": cards, "mib": mib, "fits": [] if mib is None else _fitting(mib, engine)}


def _fitting(mib: int, engine: Engine) -> list[str]:
    """The catalogued cards with at least this memory, smallest first, and of equal sizes the newest first.

    With a fraction flag only that share of a card counts.
    """
    share = engine.fraction if engine.fraction_kind == "utilization" and engine.fraction else 1
    fitting = [
        (entry.memory_mib, -number, entry.name)
        for number, entry in enumerate(CATALOGUE)
        if entry.memory_mib and mib * 100 <= entry.memory_mib * NOMINAL_PERCENT * share
    ]
    return [name for _, _, name in sorted(fitting)]


def _obstacles(need: Need, engine: Engine, rows: Sequence[object]) -> list[str]:
    """The reasons why the flags allow no division at all."""
    if rows:
        return []
    if engine.tp is not None and (reason := tp_obstacle(need, engine.tp)):
        return [f"{reason}; choose another tp"]
    return [f"a pipeline of {engine.pp} stages is longer than the model's {need.layers} layers; choose a shorter one"]


def _mib(size_bytes: int | None) -> int | None:
    return None if size_bytes is None else -(-size_bytes // MIB)
