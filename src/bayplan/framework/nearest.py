"""Did you mean: the name that was probably meant."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_LONGEST = 80  # comparing takes quadratic time, and names of that length are not mistyped
_LIKENESS = 0.6  # one or two wrong letters in a short name; below it suggestions look random
_MOST_SHOWN = 12  # names that fit on two lines of an error


def nearest(name: str, names: Iterable[str]) -> str | None:
    """The most similar of these names, whatever the case; None when none is similar."""
    if len(name) > _LONGEST:
        return None
    # of names that differ only in case the first stays
    spelled = {each.casefold(): each for each in sorted(names, reverse=True)}
    found = get_close_matches(name.casefold(), list(spelled), n=1, cutoff=_LIKENESS)
    return spelled[found[0]] if found else None


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """The next step after an unknown name: the nearest one, else what there is."""
    known = sorted(set(names))
    near = nearest(name, known)
    if near is not None:
        return f"did you mean {near!r}?"
    if not known:
        return "there is none to choose from"
    more = len(known) - _MOST_SHOWN
    return f"there are: {', '.join(known[:_MOST_SHOWN])}" + (f" and {more} more" if more > 0 else "")
