"""The state of a scheduler that lives long: a followed cluster under a configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.library.numba_compiler import NumbaCompiler
from bayplan.library.planner import placement_config
from bayplan.placement.decision.followed_cluster import FollowedCluster

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bayplan.cluster.cluster import Cluster
    from bayplan.framework.plugins import Observer
    from bayplan.placement.packing.mix import Mix


def live_state(
    config: Any = None, *, mix: Callable[[], Mix | None] = lambda: None, observers: Sequence[Observer] = ()
) -> Callable[[Cluster], FollowedCluster]:
    """A function that makes the state of a cluster; InputError where the configuration cannot be read.

    `mix` is asked when a state is made: what was learnt is read from the store before that.
    """
    read = placement_config(config)
    compiler = NumbaCompiler()

    def make(cluster: Cluster) -> FollowedCluster:
        return FollowedCluster(
            cluster, read.profiles, skip_broken=read.skip_broken, mix=mix(), compiler=compiler, observers=observers
        )

    return make
