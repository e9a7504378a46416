"""Rules that rename models: for canaries, for aliases, and for requests that name no model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


@dataclass(frozen=True, slots=True)
class Target:
    """A model that requests are sent to under its name; `weight` is None where the document gives none."""

    model: str
    weight: int | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """Which models are renamed, and to what. No `models`: every request, also one that names no model."""

    models: frozenset[str]
    targets: tuple[Target, ...]


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A document of rules. Of two rules for one model the one of the older document counts."""

    name: str
    created_s: float
    rules: tuple[Rule, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """Targets to choose from, each with its share of the sum."""

    models: tuple[str, ...]
    weights: tuple[int, ...]
    warning: str = ""

    def drawn(self, chance: Callable[[int], int]) -> str:
        """One of them; `chance(n)` gives a number below n."""
        if len(self.models) == 1:
            return self.models[0]
        number = chance(sum(self.weights))
        for model, weight in zip(self.models, self.weights, strict=True):
            number -= weight
            if number < 0:
                return model
        return self.models[-1]


class RewriteTable:
    """All rules that hold, by the model that they name."""

    def __init__(self, rewrites: Sequence[Rewrite] = ()) -> None:
        self._named: dict[str, Choice] = {}
        self._others: Choice | None = None
        for rewrite in sorted(rewrites, key=lambda each: each.created_s):
            for rule in rewrite.rules:
                choice = _choice(rule, rewrite.name)
                if not rule.models:
                    self._others = self._others or choice
                for model in rule.models:
                    self._named.setdefault(model, choice)
        self.is_empty = not self._named and self._others is None

    def find(self, model: str | None) -> Choice | None:
        """What a model is renamed to; rules that name it come before those that take every request."""
        return self._named.get(model, self._others) if model is not None else self._others


def _choice(rule: Rule, name: str) -> Choice:
    weighted = [target for target in rule.targets if target.weight is not None]
    if not weighted:
        return Choice(tuple(target.model for target in rule.targets), (1,) * len(rule.targets))
    left_out = [target.model for target in rule.targets if target.weight is None]
    warning = ""
    if left_out:
        warning = (
            f"rewrite {name}: {', '.join(left_out)} has no weight beside targets that have one: it gets no request"
        )
    return Choice(tuple(target.model for target in weighted), tuple(target.weight or 0 for target in weighted), warning)
