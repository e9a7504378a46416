"""The sources, warnings and missing numbers that are collected while a model is sized."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Notes:
    """The source of each number, warnings, and the numbers that the user has to give."""

    sources: dict[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
