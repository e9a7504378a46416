"""Where in a document an object was read: an object names its own field, the reader of the document adds the rest."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from bayplan.framework.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator

K = TypeVar("K", bound="Hashable")


@contextmanager
def within(place: str) -> Iterator[None]:
    """Puts `place` in front of the place of every InputError that leaves the block."""
    try:
        yield
    except InputError as error:
        raise InputError(error.message, place=join(place, error.place), next=error.next) from None


def join(outer: str, inner: str) -> str:
    """`workers[3]` and `gpus[0].memory` give `workers[3].gpus[0].memory`."""
    if not outer or not inner:
        return outer or inner
    return f"{outer}{inner}" if inner.startswith("[") else f"{outer}.{inner}"


def repeated(keys: Iterable[K]) -> tuple[int, K] | None:
    """The number and the key of the first entry that repeats an earlier one."""
    seen: set[K] = set()
    for number, key in enumerate(keys):
        if key in seen:
            return number, key
        seen.add(key)
    return None
