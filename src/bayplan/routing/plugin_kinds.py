"""Kinds of plugins that only routing has, and what such plugins may say about themselves.

A class names its kinds in `kinds`, beside those that its methods say: `kinds = (DETECTOR,)` and a method `mask` make a
detector that is a filter too. What the class is told stands in its fields, and `name` is its type, as for every plugin.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PARSER: Final = "parser"
DETECTOR: Final = "detector"
ADMITTER: Final = "admitter"
DECIDER: Final = "decider"
PREFIX_PRODUCER: Final = "prefix-producer"
"""A producer of a column that begins with `PREFIX_COLUMN`."""

FAIRNESS: Final = "fairness-policy"
ORDERING: Final = "ordering-policy"
USAGE_LIMIT: Final = "usage-limit-policy"
BAND_SELECTION: Final = "band-selection-policy"
DATA_SOURCE: Final = "data-source"
EXTRACTOR: Final = "extractor"
DISCOVERY: Final = "discovery"
SCREENER: Final = "screener"
AROUND_REQUESTS: Final = "request-plugin"
"""A plugin that only acts around requests (`hooks.py`), or that is read and has nothing to do here."""


class Connecting(Protocol):
    """A plugin that knows others, or its own name.

    Each method and attribute is optional. `needs` are types of producers: where a configuration declares a plugin and
    none of a type that it needs, one is added. A parameter `prefix_match_info_producer_name` that is not given, or
    None, is `approx-prefix-cache-producer`, which is added under that name.
    """

    needs: tuple[str, ...]

    def connect(self, name: str, plugins: Mapping[str, Any]) -> None:
        """Called once when all plugins are made: its name in the configuration, and all plugins by theirs.

        It may set `reads` and `produces`, which are looked at afterwards.
        """

    def placed(self, profiles: Sequence[str]) -> None:
        """Called once, after `connect`: the profiles in which it stands."""
