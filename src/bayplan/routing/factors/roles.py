"""Roles of endpoints: which stages of a request each of them serves."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

Stage: TypeAlias = Literal["prefill", "encode", "decode"]

DECODE_ROLES: Final = frozenset({"", "decode", "prefill-decode", "both", "encode-prefill-decode"})
"""An endpoint without a role decodes: a pool without roles has one stage."""

PREFILL_ROLES: Final = frozenset({"prefill", "encode-prefill", "prefill-decode", "both", "encode-prefill-decode"})
ENCODE_ROLES: Final = frozenset({"encode", "encode-prefill", "encode-prefill-decode"})

_STAGES: Final[dict[str, Stage]] = {"prefill": "prefill", "encode-prefill": "prefill", "encode": "encode"}


def stage_of(role: str) -> Stage:
    """The stage with which an endpoint's load is counted: its own if it serves one only, else decode."""
    return _STAGES.get(role, "decode")
