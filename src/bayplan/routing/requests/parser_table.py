"""Which parser reads a request, by the end of its path."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.routing.requests.parsed_body import Parser

MOST_PATHS = 1024
"""Paths whose parser is remembered. Clients choose paths, so there must be an end; real APIs have a dozen."""


class Claim(NamedTuple):
    """A parser under its name in the configuration, and the end of the path by which it was found."""

    name: str
    parser: Parser
    path: str


class ParserTable:
    """Parsers in the order of the configuration. The longest claimed end of a path wins; the first fallback is last."""

    def __init__(self, parsers: Sequence[tuple[str, Parser]]) -> None:
        """`parsers`: each with its name in the configuration."""
        claims: list[Claim] = []
        self._fallback: Claim | None = None
        self.skipped: tuple[str, ...] = ()
        """The names of parsers that stand behind a fallback, which takes everything before they are asked."""
        for place, (name, parser) in enumerate(parsers):
            if not parser.paths:
                self._fallback = Claim(name, parser, "")
                self.skipped = tuple(each for each, _ in parsers[place + 1 :])
                break
            claims += (Claim(name, parser, path) for path in parser.paths)
        # sorted() is stable, so the parser that stands first wins where two claim the same path
        self._claims = sorted(claims, key=lambda claim: -len(claim.path))
        self._known: dict[str, Claim | None] = {}

    def find(self, path: str) -> Claim | None:
        """The parser of a request; None where nobody claims its path and there is no fallback."""
        try:
            return self._known[path]
        except KeyError:
            found = self._search(path)
            if len(self._known) >= MOST_PATHS:
                self._known.clear()
            self._known[path] = found
            return found

    def _search(self, path: str) -> Claim | None:
        bare = path.partition("?")[0]
        return next((claim for claim in self._claims if bare.endswith(claim.path)), self._fallback)
