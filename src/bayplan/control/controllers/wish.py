"""What an object asks for: Pods, of one sort or of several roles."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from bayplan.control.store import Object

_LONGEST_LABEL = 63  # characters of a label's value
_HASH_LETTERS = "bcdfghjklmnpqrstvwxz2456789"  # as in names that Kubernetes draws: no words come out


@dataclass(frozen=True, slots=True)
class Wanted:
    """Equal Pods. `pod` is created as it is, again and again: the store draws the names.

    `revision` is the hash of what a replica is; Pods of another one are replaced. Empty: they never are.
    """

    role: str
    count: int
    pod: Object
    revision: str = ""


@dataclass(frozen=True, slots=True)
class Wish:
    """All Pods that an object asks for; `problem` says why it cannot be read, and then nothing is done.

    `together`: its Pods are of no use without each other, so they are replaced all at once.
    """

    sets: tuple[Wanted, ...] = ()
    together: bool = False
    problem: str = ""

    @property
    def count(self) -> int:
        return sum(each.count for each in self.sets)


def digest_of(value: Any) -> str:
    """A short hash of plain data, the same in every process: ten letters that a name may end with."""
    text = orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    number = int.from_bytes(hashlib.blake2b(text, digest_size=8).digest())
    letters = []
    for _ in range(10):
        number, left = divmod(number, len(_HASH_LETTERS))
        letters.append(_HASH_LETTERS[left])
    return "".join(letters)


def plain(value: Any) -> Any:
    """Data without what says nothing: null and empty values, which programs in Go write and leave out as they like."""
    if isinstance(value, dict):
        return {key: kept for key, each in value.items() if (kept := plain(each)) not in (None, "", {}, [])}
    return [plain(each) for each in value] if isinstance(value, list) else value


def label_value(name: str) -> str:
    """A name as the value of a label; one that is too long ends with its hash."""
    if len(name) <= _LONGEST_LABEL:
        return name
    return f"{name[: _LONGEST_LABEL - 11]}-{digest_of(name)}"
