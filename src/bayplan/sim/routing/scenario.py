"""A workload on a pool, which any policy can be tried on at any speed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.framework.errors import InputError
from bayplan.sim.routing.pickers.scraped import Scraped
from bayplan.sim.routing.policies import BOUND, PoolView, policy_named
from bayplan.sim.routing.replay import Replay
from bayplan.sim.routing.shared_cache import SharedCachePool
from bayplan.sim.routing.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.sim.engine.batching.block_pool import Hash
    from bayplan.sim.engine.batching.simulated_engine import SimulatedEngine
    from bayplan.sim.routing.engine_spec import EngineSpec
    from bayplan.sim.routing.policies import Policy
    from bayplan.sim.routing.replay import Outage
    from bayplan.sim.routing.result import Result
    from bayplan.sim.routing.trace import Trace


@dataclass(frozen=True, slots=True)
class Bursts:
    """A share of each period's requests comes at its beginning, at so many times the pace."""

    factor: float = 10.0
    period_s: float = 60.0
    share: float = 0.5


@dataclass(frozen=True, slots=True)
class Scenario:
    """Requests, engines, and what the router is mistaken about.

    `belief` times the first engine's real time for a prompt token is what our own policy believes at the start. Engines
    are scraped every `scrape_s`, and what is scraped arrives as much later.
    """

    name: str
    trace: Trace
    engines: Sequence[EngineSpec]
    belief: float = 1.0
    scrape_s: float = 0.05
    bursts: Bursts | None = None
    outages: Sequence[Outage] = ()
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.engines:
            raise InputError("there are no engines", place="engines", next="give at least one")
        if not self.trace.requests:
            raise InputError("there are no requests", place="trace", next="give a trace with some")

    @property
    def token_s(self) -> float:
        """Seconds of a prompt token where an engine is as its profile says: the line of criterion A goes by it."""
        return self.engines[0].profile.timing.prefill_s

    def replay(self, policy: str | Policy, speed: float = 1.0, *, criteria: str | None = None) -> Result:
        """Play the trace at this many times its pace; with `criteria` only until none of these can be met any more.

        The policy is one of `POLICIES` by its name, or a function that makes a picker for a pool.
        """
        trace = self._requests(speed)
        computed: set[Hash] = set()

        def make(number: int) -> SimulatedEngine:
            engine = self.engines[number].engine(trace.block_tokens)
            if policy == BOUND:
                engine.pool = SharedCachePool(engine.limits.blocks, computed)
            return engine

        engines = [make(number) for number in range(len(self.engines))]
        scraped = Scraped(engines, self.scrape_s, self.scrape_s)
        make_picker = policy_named(policy) if isinstance(policy, str) else policy
        picker = make_picker(self._pool(trace.block_tokens, scraped))
        verdict = None if criteria is None else Verdict(len(trace.requests), self.token_s, criteria)
        return Replay(
            trace,
            make,
            engines,
            picker,
            token_s=self.token_s,
            verdict=verdict,
            on_change=scraped.changed,
            outages=self.outages,
        ).run()

    def _requests(self, speed: float) -> Trace:
        trace, bursts = self.trace.faster(speed), self.bursts
        return trace if bursts is None else trace.in_bursts(bursts.factor, bursts.period_s, bursts.share)

    def _pool(self, block_tokens: int, scraped: Scraped) -> PoolView:
        blocks = self.engines[0].blocks(block_tokens)
        believed_s = self.token_s * self.belief
        return PoolView(len(self.engines), blocks, block_tokens, believed_s, scraped, self.seed)
