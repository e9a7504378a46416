"""MIG slices as people list them: `1g.5gb:7,2g.10gb:3`."""

from __future__ import annotations

import re

from bayplan.cluster.quantities import shown
from bayplan.framework.errors import InputError
from bayplan.manifests.inventory.amounts import cards_counted

_PROFILE = re.compile(r"[0-9]{1,2}g\.[0-9]{1,4}gb(?:[+.][a-z0-9.]{1,16})?")
_MAX_PARTS = 64


def parse_mig_config(value: object, place: str) -> dict[str, int]:
    """Slices by profile; a profile that is listed twice counts twice."""
    parts = value.split(",", _MAX_PARTS) if isinstance(value, str) else []
    found: dict[str, int] = {}
    for part in parts:
        profile, mark, count = part.strip().lower().partition(":")
        if not mark or not _PROFILE.fullmatch(profile):
            raise InputError(f"{shown(part)} is no slice", place=place, next="write 1g.5gb:7,2g.10gb:3")
        found[profile] = found.get(profile, 0) + cards_counted(count, place)
    if not found:
        raise InputError(f"{shown(value)} names no slices", place=place, next="write 1g.5gb:7,2g.10gb:3")
    return found
