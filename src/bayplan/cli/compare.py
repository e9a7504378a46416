"""`bayplan compare`: which way of routing serves a recorded trace best, in simulated engines."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from bayplan.cli.errors import USAGE
from bayplan.cli.files import Seed, read_config_file
from bayplan.cli.output import Format, Part, Sheet, Title, emit
from bayplan.cli.progress import told_when_slow
from bayplan.framework.errors import InputError
from bayplan.sim.engine.settings import profile_named
from bayplan.sim.routing.comparison import compare as comparison_of
from bayplan.sim.routing.engine_spec import EngineSpec
from bayplan.sim.routing.policies import POLICIES, policy_named, policy_of
from bayplan.sim.routing.result import CRITERIA
from bayplan.sim.routing.scenario import Scenario
from bayplan.sim.routing.trace_files import read_trace

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bayplan.sim.routing.policies import Policy

USUAL = ("gie", "early", "late")
MOST_ENGINES = 1024  # a replay takes time in proportion to them
_COLUMNS = ("POLICY", "MEAN TTFT", "P50", "P90", "P99", "TPOT P99", "CACHED", "SERVED", "MEETS")
_UNKNOWN = "-"


def compare(
    trace: Annotated[str, Parameter(help="A trace: Mooncake's JSON lines, or a table of Azure's form (.csv).")],
    *,
    config: Annotated[
        tuple[str, ...],
        Parameter(
            negative=(),
            help="An EndpointPickerConfig, or a SchedulerConfig with scheduler: routing. May be given several times.",
        ),
    ] = (),
    policy: Annotated[
        tuple[str, ...],
        Parameter(
            negative=(), help=f"A policy by name: {', '.join(POLICIES)}. May be repeated; default: {', '.join(USUAL)}."
        ),
    ] = (),
    engines: Annotated[int, Parameter(help="How many engines the pool has.")] = 8,
    profile: Annotated[str, Parameter(help="The kind of engine: 8b or 70b.")] = "70b",
    speed: Annotated[float, Parameter(help="How many times as fast as recorded the requests arrive.")] = 1.0,
    capacity: Annotated[
        bool, Parameter(negative=(), help="Also search the highest speed at which each criterion is met; takes long.")
    ] = False,
    seed: Seed = 0,
    output: Format = "table",
) -> None:
    """Replay a recorded trace of requests with several policies, each on the same simulated engines.

    A configuration runs in the router that gateways use, with its own plugins. Criteria: A 95 % of the requests have
    their first token within 1 s and twice their prefill, B the mean is at most 2 s, C 70 % are within 2 s, D 90 %
    within 5 s.
    """
    _check(engines, speed)
    policies = _policies(config, policy)
    spec = EngineSpec(profile_named(profile))
    scenario = Scenario(trace, read_trace(Path(trace), seed=seed), [spec] * engines, seed=seed)
    with told_when_slow(f"replaying {len(scenario.trace.requests)} requests, {len(policies)} times or more"):
        document = comparison_of(scenario, policies, speed, with_capacity=capacity)
    emit(document, output, *_parts(document))


def _check(engines: int, speed: float) -> None:
    if not 1 <= engines <= MOST_ENGINES:
        raise InputError(f"{engines} is not 1 to {MOST_ENGINES}", place="--engines", next="give another", code=USAGE)
    if not 0 < speed < float("inf"):
        raise InputError(f"{speed} is no speed", place="--speed", next="give a number above 0", code=USAGE)


def _policies(configs: Sequence[str], names: Sequence[str]) -> dict[str, str | Policy]:
    """The configurations under the names of their files, then the policies."""
    found: dict[str, str | Policy] = {}
    for file in configs:
        document = read_config_file(file, routes=True)
        if document is not None:
            found[file] = policy_of(document.data, file)
    for name in names or USUAL:
        policy_named(name)
        found[name] = name
    return found


def _parts(document: dict[str, Any]) -> Iterator[Part]:
    yield Title(
        f"{document['trace']}: {document['requests']} requests at {document['speed']:g} times their pace, "
        f"{document['engines']} engines {document['profile']}"
    )
    yield Sheet(
        _COLUMNS,
        [_row(each, document["requests"]) for each in document["policies"]],
        spare=(("TPOT P99",), ("P50",), ("SERVED",)),
    )
    if any(each["capacity"] for each in document["policies"]):
        yield ""
        yield "Highest speed at which each criterion is met:"
        rows = [
            (each["policy"], *(f"{each['capacity'][name]:.2f}" for name in CRITERIA)) for each in document["policies"]
        ]
        yield Sheet(("POLICY", *CRITERIA), rows)


def _row(figures: dict[str, Any], requests: int) -> tuple[str, ...]:
    times = (*(figures["ttft_s"][name] for name in ("mean", "p50", "p90", "p99")), figures["tpot_s"]["p99"])
    met = "".join(name for name in CRITERIA if figures["met"][name])
    shares = (f"{each:.0%}" for each in (figures["cached"], figures["served"] / requests))
    return (figures["policy"], *map(_seconds, times), *shares, met or _UNKNOWN)


def _seconds(value: float | None) -> str:
    return _UNKNOWN if value is None else f"{value:.3f} s"
