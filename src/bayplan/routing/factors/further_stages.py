"""Stages after decoding: which of them run, what became of them, and the headers that tell of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from bayplan.framework.outcome import Decision
from bayplan.routing.factors.runs import run_of
from bayplan.routing.stages import Stages

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.outcome import RunResult
    from bayplan.framework.plugins import Run
    from bayplan.framework.profile import Profile
    from bayplan.routing.hooks import Decider, Sent

PREFILLER_HEADER: Final = "x-prefiller-host-port"
ENCODERS_HEADER: Final = "x-encoder-hosts-ports"
RANK_HEADER: Final = "x-data-parallel-host-port"


def next_runs(
    cycle: Cycle,
    profiles: Mapping[str, Profile],
    results: Mapping[str, RunResult],
    decode: str,
    further: Sequence[tuple[str, Decider | None]],
) -> Sequence[Run]:
    """Decode first; where that picked, each further stage in turn whose decider agrees; one run at a time."""
    if not results:
        return (run_of(profiles[decode]),)
    decoded = results[decode]
    if not decoded.ok:
        return ()
    table: Any = decoded.table
    last = max((place for place, (name, _) in enumerate(further) if name in results), default=-1)
    for name, decider in further[last + 1 :]:
        if decider is not None and decider.splits(cycle.subject, table, decoded.picked[0].row, cycle.now):
            return (run_of(profiles[name]),)
    return ()


def decision_of(
    results: Mapping[str, RunResult], decode: str, prefill: str, encode: str | None = None, *, port: int | None = None
) -> Decision:
    """Decode decides. A further stage that found no endpoint is left out, with a warning."""
    picked = {name for name, result in results.items() if result.ok}
    failed = [name for name in results if name != decode and name not in picked]
    warnings = tuple(f"profile {name} found no endpoint; its stage is left out" for name in failed)
    return Decision(
        decode,
        Stages(
            prefill=prefill if prefill in picked else None,
            encode=encode if encode in picked else None,
            warnings=warnings,
            port=port,
        ),
    )


def prefiller_header(sent: Sent) -> dict[str, str]:
    """Where the prompt is prefilled, if that is a stage of its own."""
    row = sent.prefilled_by
    return {} if row is None else {PREFILLER_HEADER: sent.table.columns["address"][row]}


def rank_header(sent: Sent) -> dict[str, str]:
    """The picked endpoint's own address, where gateways send to a port that all ranks share."""
    return {RANK_HEADER: sent.table.columns["address"][sent.first]}
