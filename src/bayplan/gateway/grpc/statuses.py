"""The statuses of gRPC that we answer with."""

from __future__ import annotations

from enum import IntEnum


class Status(IntEnum):
    """How a call ended."""

    OK = 0
    INVALID_ARGUMENT = 3
    NOT_FOUND = 5
    RESOURCE_EXHAUSTED = 8
    UNIMPLEMENTED = 12
    INTERNAL = 13
    UNAVAILABLE = 14
