"""Warnings about what was ignored or assumed in an inventory; similar ones become one warning with their number."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from bayplan.framework.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.manifests.inventory.entry import Entry

T = TypeVar("T")
V = TypeVar("V")


class Notes:
    """Collects warnings. One unreadable label on each of 5,000 workers is one warning."""

    def __init__(self) -> None:
        self._first: dict[tuple[str, str], str] = {}
        self._more: dict[tuple[str, str], int] = {}

    def add(self, entry: Entry, path: str, message: str, alike: str = "") -> None:
        """A warning about a field of an object; warnings with the same `alike` are counted together."""
        key = (path, alike or message)
        if key in self._first:
            self._more[key] = self._more.get(key, 0) + 1
        else:
            self._first[key] = f"{entry.place(path)}: {message}"

    def repeat(self, warning: str) -> None:
        """A warning that is complete already, from another reader."""
        self._first.setdefault(("", warning), warning)

    def attempt(self, entry: Entry, path: str, read: Callable[[V, str], T], value: V) -> T | None:
        """The value as `read` parses it; None and a warning where it fails, because anyone may write labels."""
        try:
            return read(value, path)
        except InputError as error:
            self.add(entry, error.place or path, f"{error.message}; it is ignored", alike="unreadable")
            return None

    @property
    def warnings(self) -> tuple[str, ...]:
        return tuple(
            f"{warning} (and {self._more[key]:,} more like it)" if key in self._more else warning
            for key, warning in self._first.items()
        )
