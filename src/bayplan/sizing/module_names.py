"""Names of modules that a quantization leaves out: patterns, names with stars, parts of names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_PATTERN = "re:"
_WRAPPER = "language_model."
"""Parts that multimodal models add to the module names of their text model."""

_LONGEST_PATTERN = 400  # published patterns have about a hundred characters
_MOST_PATTERNS = 300
"""Published lists have a dozen; more would take long on a model of many layers."""

_LOOSE = re.compile(r"[)\]}][*+{]|[^.][*+]|\.\+|\{\d")
_WILD = re.compile(r"(?<!\\)\.\*\??")
_MOST_NESTED = 3
"""Nested wildcards that are tried as written; more could take exponential time on a hostile text."""


class ModuleNames:
    """The entries of such a list.

    An entry is `re:` and a pattern, a name with stars, a module, a prefix of one up to a dot, or its last words.
    """

    __slots__ = ("_beginnings", "_exact", "_pattern", "too_many")

    def __init__(self, entries: Iterable[str]) -> None:
        exact, beginnings, patterns = set[str](), set[str](), list[str]()
        for written in entries:
            entry = written if written.startswith(_PATTERN) else written.replace(_WRAPPER, "")
            if entry.startswith(_PATTERN):
                patterns.append(_bounded(entry.removeprefix(_PATTERN)))
            elif "*" not in entry:
                exact.add(entry)
            elif entry.index("*") == len(entry) - 1:
                beginnings.add(entry[:-1])
            else:
                patterns.append(_starred(entry))
        usable = [pattern for pattern in patterns if pattern]
        self.too_many = len(usable) > _MOST_PATTERNS or len(usable) < len(patterns)
        self._exact, self._beginnings = frozenset(exact), frozenset(beginnings)
        joined = "|".join(f"(?:{pattern})" for pattern in dict.fromkeys(usable))
        self._pattern = None if self.too_many or not joined else re.compile(joined)

    def __bool__(self) -> bool:
        return bool(self._exact or self._beginnings or self._pattern)

    def hold(self, name: str) -> bool:
        """Whether an entry means this module."""
        if self._exact and not self._exact.isdisjoint(_parts(name)):
            return True
        if self._beginnings and any(name[:length] in self._beginnings for length in range(len(name) + 1)):
            return True
        return self._pattern is not None and self._pattern.match(name) is not None


def _parts(name: str) -> list[str]:
    """The name itself, its prefixes up to a dot, and its suffixes after a dot."""
    words = name.split(".")
    beginnings = [".".join(words[:count]) for count in range(1, len(words) + 1)]
    return beginnings + [".".join(words[count:]) for count in range(1, len(words))] + words


def _starred(entry: str) -> str:
    """A name with stars; it also matches modules inside of the named ones."""
    segments = [re.escape(segment) for segment in re.split(r"\*+", entry)]
    first, *others = segments
    middle = "".join(f"(?>.*?{segment})" for segment in others[:-1])
    return rf"{first}{middle}.*{others[-1]}(?:\.|$)" if others[-1] else f"{first}{middle}"


def _bounded(pattern: str) -> str:
    """The pattern in a form that cannot take long; empty where there is no such form."""
    if len(pattern) > _LONGEST_PATTERN:
        return ""
    pieces = _WILD.split(pattern)
    if any(_LOOSE.search(piece.replace(r"\d+", "").replace("[0-9]+", "")) for piece in pieces):
        return ""
    joined = "".join(f"(?>.*?{piece})" for piece in pieces[1:-1])
    bounded = pieces[0] + joined + (f".*{pieces[-1]}" if len(pieces) > 1 else "")
    return bounded if _compiles(bounded) else pattern if len(pieces) <= _MOST_NESTED + 1 and _compiles(pattern) else ""


def _compiles(pattern: str) -> bool:
    try:
        re.compile(pattern)
    except re.error:
        return False
    return True
