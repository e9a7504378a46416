"""The policies that a replay knows by name, and how each is made for a pool."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from bayplan.framework.errors import InputError
from bayplan.framework.nearest import did_you_mean
from bayplan.sim.routing.pickers import configs
from bayplan.sim.routing.pickers.dynamo import Dynamo
from bayplan.sim.routing.pickers.endpoint_picker import EndpointPicker
from bayplan.sim.routing.pickers.least_requests import LeastRequests
from bayplan.sim.routing.pickers.least_tokens import LeastTokens
from bayplan.sim.routing.pickers.replicas import Replicas
from bayplan.sim.routing.pickers.round_robin import RoundRobin
from bayplan.sim.routing.pickers.routed import Routed, share_account
from bayplan.sim.routing.pickers.unlimited_cache import UnlimitedCache

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from bayplan.framework.registry import Registry
    from bayplan.sim.routing.picker import Picker
    from bayplan.sim.routing.pickers.scraped import Scraped

BOUND: Final = "bound"
"""Not a policy that can be had: engines that share a cache without limits."""

ROUTERS: Final = 4


@dataclass(frozen=True, slots=True)
class PoolView:
    """What a policy may know of a pool: sizes, metrics as they are scraped, and a belief of how fast engines are."""

    engines: int
    blocks: int
    block_tokens: int
    believed_token_s: float
    scraped: Scraped
    seed: int

    def routed(
        self, name: str, config: Mapping[str, Any], *, scrapes: bool = False, known: Registry | None = None
    ) -> Routed:
        """The product's router with a configuration."""
        return Routed(
            name,
            config,
            engines=self.engines,
            blocks=self.blocks,
            block_tokens=self.block_tokens,
            scraped=self.scraped if scrapes else None,
            seed=self.seed,
            known=known,
        )

    def own(self, name: str, policy: configs.OwnPolicy) -> Routed:
        """The product's router with our own policy."""
        return self.routed(name, configs.own(policy, self.believed_token_s, self.block_tokens))


Policy: TypeAlias = "Callable[[PoolView], Picker]"
"""Makes a picker for a pool, anew for each replay: pickers remember what they sent."""


def _gie_replicas(pool: PoolView) -> Picker:
    return Replicas(
        [EndpointPicker(pool.engines, pool.blocks, pool.scraped, pool.seed + number) for number in range(ROUTERS)]
    )


def _late_replicas(pool: PoolView) -> Picker:
    routers = [pool.own("late", "late") for _ in range(ROUTERS)]
    share_account(routers)
    return Replicas(routers)


POLICIES: Final[Mapping[str, Policy]] = {
    "rr": lambda pool: RoundRobin(pool.engines, pool.seed),
    "least": lambda pool: LeastRequests(pool.engines, pool.seed),
    "leasttok": lambda pool: LeastTokens(pool.engines, pool.seed),
    "gie": lambda pool: EndpointPicker(pool.engines, pool.blocks, pool.scraped, pool.seed),
    "gie-here": lambda pool: pool.routed("gie-here", configs.GIE_DEFAULTS, scrapes=True),
    "dynamo": lambda pool: Dynamo(pool.engines, pool.blocks, pool.block_tokens, pool.seed),
    "token-load": lambda pool: pool.routed("token-load", configs.TOKEN_LOAD),
    "early": lambda pool: pool.own("early", "early"),
    "late": lambda pool: pool.own("late", "late"),
    BOUND: lambda pool: UnlimitedCache(pool.engines, pool.block_tokens, pool.believed_token_s, pool.seed),
    "gie x 4": _gie_replicas,
    "late x 4": _late_replicas,
}
"""`gie` follows GIE's own rules; `gie-here` is the same configuration in the product's router, which knows what it sent
since the last scrape. `token-load`, `early` and `late` run in the product's router too. `… x 4` are four routers of one
pool; those of `late` share their accounts of load and have indexes and queues of their own."""


def policy_named(name: str) -> Policy:
    """A policy of the list."""
    found = POLICIES.get(name)
    if found is None:
        raise InputError(f"there is no policy {name[:80]!r}", place="policy", next=did_you_mean(name, POLICIES))
    return found


def policy_of(config: Mapping[str, Any], name: str = "config", known: Registry | None = None) -> Policy:
    """The product's router with an EndpointPickerConfig, or with a SchedulerConfig of routing.

    Its plugins are those of `known`; default: the built-in ones and those of installed packages. Engines are scraped.
    """
    return lambda pool: pool.routed(name, config, scrapes=True, known=known)
