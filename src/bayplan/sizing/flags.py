"""The flags of an engine's command line, in all their spellings."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from bayplan.cluster.quantities import shown
from bayplan.framework.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

_PAIR = re.compile(r"(-[^=\s]+)(?:=|\s+)(.*)", re.DOTALL)
_WHOLE = re.compile(r"[0-9]{1,12}")
_DECIMAL = re.compile(r"[0-9]{0,6}\.?[0-9]{1,18}|[0-9]{1,6}\.")
_READABLE = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,6})?)([kKmM]?)")
_FACTORS = {"": 1, "k": 10**3, "K": 2**10, "m": 10**6, "M": 2**20}


@dataclass(frozen=True, slots=True)
class Flag:
    """A value and its position; `text` is None where the flag is the last word."""

    name: str
    text: str | None
    position: int

    def whole(self, *, least: int = 1) -> int:
        """A whole number of at least `least`."""
        if self.text is None or not _WHOLE.fullmatch(self.text) or int(self.text) < least:
            raise self._refusal(f"a whole number from {least} up")
        return int(self.text)

    def tokens(self) -> int | None:
        """A number of tokens, also as `32k` or `1M`; None where the engine is to take the context of the model."""
        if self.text in ("auto", "-1"):
            return None
        found = _READABLE.fullmatch(self.text or "")
        number = Fraction(found[1]) * _FACTORS[found[2]] if found else Fraction(0)
        if number < 1 or number.denominator != 1:
            raise self._refusal("a number of tokens such as 8192 or 32k")
        return number.numerator

    def fraction(self) -> Fraction:
        """A share of a card: above 0 and at most 1, exactly as it is written."""
        share = Fraction(self.text) if self.text and _DECIMAL.fullmatch(self.text) else Fraction(0)
        if not 0 < share <= 1:
            raise self._refusal("a number above 0 and at most 1")
        return share

    def word(self) -> str:
        if not self.text:
            raise self._refusal("a value")
        return self.text

    def _refusal(self, expected: str) -> InputError:
        problem = f"{self.name} has no value" if self.text is None else f"{self.name} is {shown(self.text)}"
        return InputError(problem, place=self.place, next=f"give {expected}")

    @property
    def place(self) -> str:
        return f"backend.args[{self.position}]"


def read_flags(args: Sequence[str], known: Mapping[str, str]) -> dict[str, Flag]:
    """The flags that `known` maps to a meaning; the last of one meaning counts, as it does for the engines.

    `--flag=value` and `--flag value`, in one word or in two, are the same, and so are underscores and dashes. A known
    flag is followed by its value even where that looks like a flag: the value's own check refuses it.
    """
    found: dict[str, Flag] = {}
    words = enumerate(args)
    for position, word in words:
        pair = _PAIR.fullmatch(word)
        name = pair[1] if pair else word
        meaning = known.get(name.replace("_", "-"))
        if meaning is None:
            continue
        if pair:
            found[meaning] = Flag(name, pair[2].strip(), position)
        else:
            place, text = next(words, (position, None))
            found[meaning] = Flag(name, text, place)
    return found


def read_switches(args: Sequence[str], known: Collection[str]) -> dict[str, bool]:
    """Flags without a value: `--flag` is on, `--no-flag` and `--flag=false` are off, and the last word counts."""
    found: dict[str, bool] = {}
    for word, following in zip(args, [*args[1:], ""], strict=False):
        pair = _PAIR.fullmatch(word)
        name = (pair[1] if pair else word).replace("_", "-")
        value = (pair[2] if pair else following).strip().casefold()
        if name in known:
            found[name] = value != "false"
        elif name.startswith("--no-") and f"--{name[5:]}" in known:
            found[f"--{name[5:]}"] = False
    return found
