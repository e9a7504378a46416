"""Flags in a container's command that say over how many cards its engine divides a model."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from bayplan.manifests.fields import Fields

_TENSOR, _PIPELINE, _DATA = "tensor", "pipeline", "data"
_SIZES = {
    "--tensor-parallel-size": _TENSOR,
    "-tp": _TENSOR,
    "--tp": _TENSOR,
    "--tp-size": _TENSOR,
    "--pipeline-parallel-size": _PIPELINE,
    "-pp": _PIPELINE,
    "--pp-size": _PIPELINE,
    "--data-parallel-size": _DATA,
    "-dp": _DATA,
    "--dp": _DATA,
    "--dp-size": _DATA,
}
_COPIES_SHARE_CARDS = "--enable-dp-attention"
_VARIABLE = re.compile(r"\$(?:\((\w+)\)|\{(\w+)\}|(\w+))")
_WHOLE = re.compile(r"[0-9]{1,9}")
_LONGEST = 100_000  # a command is a line or two; splitting a text without end would take its time

NOTHING_KNOWN: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class Flagged:
    """The product of the parallelism flags of one container, the flags as written, and their place."""

    cards: int
    sizes: str
    container: Fields


def read_flagged(containers: Iterable[Fields], known: Mapping[str, str] = NOTHING_KNOWN) -> Flagged | None:
    """The flags of the container that asks for the most cards; None where no container divides a model.

    `known` are environment variables that the controller sets.
    """
    found = [each for container in containers if (each := _of_container(container, known)) is not None]
    return max(found, key=lambda each: each.cards, default=None)


def warn_of_flags(flagged: Flagged | None, cards: int, who: str) -> None:
    """Warn where the flags ask for more cards than there are; `who` begins the sentence ("the Pod requests")."""
    if flagged is None or flagged.cards <= cards:
        return
    message = f"the engine's flags ask for {flagged.cards} cards ({flagged.sizes}), but {who} {cards} cards"
    flagged.container.warn(message, next=f"request {flagged.cards} cards, or give the flags smaller numbers")


def _of_container(container: Fields, known: Mapping[str, str]) -> Flagged | None:
    """The flags of one container; an unknown value, such as a variable set by another object, counts as 1."""
    words = list(_words(container))
    sizes = _sizes(words, {**known, **_variables(container)} if any("$" in word for word in words) else known)
    if _COPIES_SHARE_CARDS in (word.replace("_", "-") for word in words):
        sizes.pop(_DATA, None)
    cards = prod(sizes.values())
    if cards <= 1:
        return None
    told = ", ".join(f"{name} parallel {size}" for name, size in sizes.items())
    return Flagged(cards, told, container)


def _sizes(words: Sequence[str], variables: Mapping[str, str]) -> dict[str, int]:
    """The sizes by meaning; of two flags with the same meaning the last counts, as in the engines."""
    found: dict[str, int] = {}
    for number, word in enumerate(words):
        name, equals, value = word.partition("=")
        meaning = _SIZES.get(name.replace("_", "-"))
        if meaning is None:
            continue
        if not equals:
            value = words[number + 1] if number + 1 < len(words) else ""
        value = _VARIABLE.sub(lambda match: variables.get(match[match.lastindex or 0], ""), value)
        if _WHOLE.fullmatch(value) and int(value):
            found[meaning] = int(value)
    return found


def _words(container: Fields) -> Iterator[str]:
    """The words of command and args; a shell script is split into its words."""
    for key in ("command", "args"):
        given = container.raw(key)
        for word in given if isinstance(given, list | tuple) else ():
            if isinstance(word, str):
                yield from _split(word) if any(map(str.isspace, word)) else (word,)


def _split(text: str) -> list[str]:
    text = text[:_LONGEST].replace("\\\n", " ")
    lexer = shlex.shlex(text, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    try:
        return list(lexer)
    except ValueError:  # a quote that is never closed
        return re.split(r"[\s;&|]+", text)


def _variables(container: Fields) -> dict[str, str]:
    given = container.raw("env")
    rows = [each for each in given if isinstance(each, Mapping)] if isinstance(given, list | tuple) else []
    return {
        each["name"]: each["value"]
        for each in rows
        if isinstance(each.get("name"), str) and isinstance(each.get("value"), str)
    }
