"""A learnt mix of workloads as JSON and back, so that what was learnt outlives a process."""

from __future__ import annotations

from typing import Any

from bayplan.framework.errors import InputError
from bayplan.library.exact_json import from_json, to_json
from bayplan.placement.packing.demand import PackingDemand
from bayplan.placement.packing.mix import Mix


def mix_to_json(mix: Mix) -> dict[str, Any]:
    """`{seen, counts: [[demand, count], …]}`."""
    return {"seen": mix.seen, "counts": [[to_json(demand), count] for demand, count in mix.counts.items()]}


def mix_from_json(data: Any) -> Mix:
    """The mix again; InputError where the data is none of ours."""
    try:
        counts = {from_json(demand): float(count) for demand, count in data["counts"]}
        seen = int(data["seen"])
    except (TypeError, ValueError, KeyError) as error:
        message = f"is no mix of workloads: {type(error).__name__}"
        raise InputError(message, place="mix", next="delete it; it is learnt again") from None
    if not all(isinstance(each, PackingDemand) for each in counts):
        raise InputError("is no mix of workloads", place="mix", next="delete it; it is learnt again")
    return Mix.remembered(seen, counts)
