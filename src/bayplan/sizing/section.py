"""Numbers of an untrusted file: read under any of their names, or refused with their place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.cluster.places import join
from bayplan.cluster.quantities import parse_count, shown
from bayplan.framework.errors import InputError

if TYPE_CHECKING:
    from collections.abc import ItemsView, Mapping

MOST = 2**31 - 1  # larger numbers are hostile: no size of a model needs more than 32 bits


class Section:
    """A mapping of a document, with its path; a field that is null counts as absent."""

    __slots__ = ("_data", "path")

    def __init__(self, data: object, path: str = "") -> None:
        if not isinstance(data, dict):
            raise InputError(f"{shown(data)} is not a mapping", place=path, next="check that the file is whole")
        self._data: Mapping[str, Any] = data
        self.path = path

    def __contains__(self, name: str) -> bool:
        return self._data.get(name) is not None

    def place(self, name: str) -> str:
        return join(self.path, name)

    def get(self, *names: str) -> Any:
        """The value of the first of these fields that is present."""
        return next((self._data[name] for name in names if self._data.get(name) is not None), None)

    def count(self, *names: str, most: int = MOST) -> int | None:
        """A whole number above 0; 0 counts as absent."""
        for name in names:
            if self._data.get(name) is not None:
                return parse_count(self._data[name], self.place(name), maximum=most) or None
        return None

    def says_none(self, name: str) -> bool:
        """Whether the field is present as null."""
        return name in self._data and self._data[name] is None

    def numbers(self, *names: str, most: int = MOST, most_entries: int) -> tuple[int, ...]:
        """The numbers of the first field that is present, one or a list; a dot in a name leads into a nested part."""
        for name in names:
            part, last = self._holder(name)
            found = None if part is None else part.get(last)
            if part is None or found is None:
                continue
            if isinstance(found, list):
                return part.counts(last, most_entries=most_entries) or ()
            return (parse_count(found, part.place(last), maximum=most),)
        return ()

    def listed(self, *names: str, most_entries: int) -> tuple[int, ...] | None:
        """The numbers of the first of these fields that is present, if it is a list."""
        for name in names:
            part, last = self._holder(name)
            if part is not None and last in part:
                return part.counts(last, most_entries=most_entries)
        return None

    def _holder(self, name: str) -> tuple[Section | None, str]:
        outer, dot, last = name.rpartition(".")
        return (self.inner(outer) if dot else self), last

    def items(self) -> ItemsView[str, Any]:
        return self._data.items()

    def counts(self, name: str, *, most_entries: int) -> tuple[int, ...] | None:
        """A list of whole numbers; None where it is no list."""
        found = self._data.get(name)
        if not isinstance(found, list):
            return None
        self._refuse_long(found, name, most_entries)
        return tuple(
            0 if each is None else parse_count(each, f"{self.place(name)}[{number}]")
            for number, each in enumerate(found)
        )

    def words(self, name: str, *, most_entries: int) -> tuple[str, ...] | None:
        """A list of texts; None where it is no list."""
        found = self._data.get(name)
        if not isinstance(found, list):
            return None
        self._refuse_long(found, name, most_entries)
        return tuple(map(str, found))

    def text(self, name: str) -> str:
        """A text, empty where there is none."""
        found = self._data.get(name)
        return found if isinstance(found, str) else ""

    def flag(self, name: str, *, absent: bool = False) -> bool:
        found = self._data.get(name)
        return found if isinstance(found, bool) else absent

    def inner(self, name: str) -> Section | None:
        """The nested mapping; None where the field is absent or not a mapping."""
        found = self._data.get(name)
        return Section(found, self.place(name)) if isinstance(found, dict) else None

    def inners(self, name: str) -> list[Section]:
        """The mappings of a list, up to the first entry that is not a mapping."""
        found = self._data.get(name)
        sections: list[Section] = []
        for number, each in enumerate(found if isinstance(found, list) else ()):
            if not isinstance(each, dict):
                break
            sections.append(Section(each, f"{self.place(name)}[{number}]"))
        return sections

    def _refuse_long(self, found: list[Any], name: str, most_entries: int) -> None:
        if len(found) > most_entries:
            raise InputError(
                f"{len(found):,} entries are too many",
                place=self.place(name),
                next=f"at most {most_entries:,} are read",
            )
