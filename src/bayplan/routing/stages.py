"""Stages: what a profile handler's decision means beside its primary profile."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Stages:
    """The `value` of a handler's Decision.

    `prefill` and `encode` name the profiles of these stages where they ran and picked: only their picks and those of
    the primary profile count, further runs are reported and no more. `warnings` go into the answer. `port`, where not
    None, stands in the picked address instead of the endpoint's own.
    """

    prefill: str | None = None
    encode: str | None = None
    warnings: tuple[str, ...] = ()
    port: int | None = None


ALONE = Stages()
"""One stage, nothing to say."""
