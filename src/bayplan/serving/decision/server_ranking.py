"""A profile in two parts: what ranks server replicas, and what ranks servers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from bayplan.framework.profile import Weighted

if TYPE_CHECKING:
    from bayplan.framework.profile import Profile


class RankedProfile(NamedTuple):
    """The profile without the scorers that rank servers, and these scorers, which rank groups of rows."""

    profile: Profile
    servers: tuple[Weighted, ...]


def ranked(profile: Profile) -> RankedProfile:
    """A scorer ranks server replicas, unless it says `ranks = "servers"`; one with `of_servers()` ranks both.

    A scorer of servers is shown the best replica of each server, and may read how many of its replicas passed
    (`group_rows_left`), and sums over the replicas that it would give (`group_sum_free_mib`).
    """
    replicas, servers = [], []
    for each in profile.weighted:
        if getattr(each.scorer, "ranks", "replicas") == "servers":
            servers.append(each)
            continue
        replicas.append(each)
        if (of_servers := getattr(each.scorer, "of_servers", None)) is not None:
            servers.append(Weighted(of_servers(), each.weight, each.level, each.key))
    return RankedProfile(replace(profile, scorers=tuple(replicas)), tuple(servers))


def judges_servers(plugin: object) -> bool:
    """Whether a filter judges whole servers: it then says the same of all replicas of a server."""
    return getattr(plugin, "judges", "replicas") == "servers"
