"""The fields of a document, read one by one: problems are collected with their places, and reading goes on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar, overload

from bayplan.framework.errors import InputError
from bayplan.framework.nearest import did_you_mean
from bayplan.manifests.finding import FOR_THE_RUNTIME, NO_SUCH_FIELD, NOT_ACTED_ON, Finding, Ignored, Neglect
from bayplan.manifests.paths import split
from bayplan.manifests.values import text, what

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator

    from bayplan.manifests.paths import Step
    from bayplan.manifests.reader import Document
    from bayplan.manifests.values import Parse

T = TypeVar("T")

MOST_FINDINGS = 100  # no person reads more, and a hostile document could hold many thousands
_MOST_COMPARED = 20  # unknown names of one mapping that are compared with the known ones: comparing is slow
MOST_IGNORED = 1000  # more than any real object has fields; each is kept, because none may be passed over in silence


class Findings:
    """What reading one document finds: the problems that make it unusable, and what is odd but does no harm.

    `errors` and `warnings` have places in the document, for people who have its file. `problems`, `remarks` and
    `ignored` say the same with paths, for callers that handed in an object. Fields that are ignored on purpose are in
    `ignored` alone: a plan need not repeat them.
    """

    def __init__(self, document: Document) -> None:
        self.document = document
        self.errors: list[InputError] = []
        self.warnings: list[str] = []
        self.problems: list[Finding] = []
        self.remarks: list[Finding] = []
        self._ignored: dict[tuple[Step, ...], Ignored] = {}
        self._told: set[tuple[tuple[Step, ...], str]] = set()
        self._broken: set[tuple[Step, ...]] = set()
        self._unshown = 0

    def add(self, steps: Iterable[Step], message: str, next: str = "") -> None:  # noqa: A002 (the name in every error)
        """Report a problem, each once. After `MOST_FINDINGS` of them only their number is kept."""
        where = tuple(steps)
        if (where, message) in self._told:
            return
        self._told.add((where, message))
        self._broken.update(where[:length] for length in range(len(where) + 1))
        if len(self.errors) < MOST_FINDINGS:
            self.errors.append(InputError(message, place=self.document.place(where), next=next))
            self.problems.append(Finding(where, message, next))
        else:
            self._unshown += 1

    def warn(self, steps: Iterable[Step], message: str, next: str = "") -> None:  # noqa: A002 (the name in every error)
        """Warn the author of the document."""
        where = tuple(steps)
        if len(self.remarks) < MOST_FINDINGS:
            self.remarks.append(Finding(where, message, next))
        self._tell(where, message, next)

    def ignore(self, steps: Iterable[Step], reason: str, neglect: Neglect) -> None:
        """Record that a field has no effect; the first reason that is given for a path counts."""
        where = tuple(steps)
        if len(self._ignored) < MOST_IGNORED:
            self._ignored.setdefault(where, Ignored(where, reason, neglect))

    def warn_ignored(self, steps: Iterable[Step], reason: str, neglect: Neglect, next: str = "") -> None:  # noqa: A002
        """Warn the author that a field has no effect."""
        where = tuple(steps)
        self.ignore(where, f"{reason}; {next}" if next else reason, neglect)
        self._tell(where, reason, next)

    @property
    def ignored(self) -> list[Ignored]:
        """Every field that has no effect, each once; what is inside one of them is not repeated."""
        return [each for each in self._ignored.values() if not self._is_told(each)]

    def _is_told(self, ignored: Ignored) -> bool:
        """Whether a field around it is ignored for the same or a stronger reason; a misspelt one is always told."""
        around = (self._ignored.get(ignored.steps[:length]) for length in range(1, len(ignored.steps)))
        return any(each and each.neglect in (Neglect.UNKNOWN, ignored.neglect) for each in around)

    def _tell(self, where: tuple[Step, ...], message: str, following: str) -> None:
        if len(self.warnings) < MOST_FINDINGS:
            self.warnings.append(str(InputError(message, place=self.document.place(where), next=following)))

    def is_broken(self, steps: tuple[Step, ...]) -> bool:
        """Whether a problem was reported at this path or below it."""
        return steps in self._broken

    def check(self) -> None:
        """Raise one error for all problems: it shows the first and the number of others."""
        raise_all(self.errors, self._unshown)


def raise_all(errors: list[InputError], unshown: int = 0) -> None:
    """One error for several: the first, and how many there are beside it."""
    if not errors:
        return
    first, more = errors[0], len(errors) - 1 + unshown
    beside = f" (and {more} more problem{'s' * (more > 1)})" if more else ""
    raise InputError(first.message + beside, place=first.place, next=first.next)


class Fields:
    """One mapping of a document.

    Null counts as absent. A value that cannot be read is reported, and its default stands in for it, so that the
    rest of the document is looked at too. `finish` reports fields that were never asked for.
    """

    __slots__ = ("_asked", "data", "findings", "steps")

    def __init__(self, data: object, findings: Findings, steps: tuple[Step, ...] = ()) -> None:
        self.findings = findings
        self.steps = steps
        self._asked: set[str] = set()
        self.data: Mapping[Any, Any] = {}
        if type(data) is dict or isinstance(data, Mapping):  # asking for an abstract class takes its time
            self.data = data
        elif data is not None:
            findings.add(steps, f"{what(data)} is no mapping", "write it as {name: value}")

    def __contains__(self, key: str) -> bool:
        return self.data.get(key) is not None

    def __iter__(self) -> Iterator[str]:
        """The names that are texts; `finish` reports all other names."""
        return (key for key in self.data if isinstance(key, str))

    def broken(self, *inside: Step) -> bool:
        """Whether anything in this mapping, or in this part of it, could not be read so far."""
        return self.findings.is_broken((*self.steps, *inside))

    def raw(self, key: str) -> Any:
        """The value as it is written; None where it is absent."""
        self._asked.add(key)
        return self.data.get(key)

    @overload
    def read(self, key: str, parse: Parse[T]) -> T | None: ...
    @overload
    def read(self, key: str, parse: Parse[T], default: T) -> T: ...
    def read(self, key: str, parse: Parse[T], default: T | None = None) -> T | None:
        """The value of a field, or the default."""
        self._asked.add(key)
        value = self.data.get(key)
        if value is None:
            return default
        try:
            return parse(value)
        except InputError as error:
            self._refuse(error, key)
            return default

    def need(self, key: str, parse: Parse[T], stand_in: T) -> T:
        """The value of a field that must be there; `stand_in` only lets reading go on."""
        if self.raw(key) is None:
            self.add("is missing", key, next="give it")
        return self.read(key, parse, stand_in)

    def each(self, key: str, parse: Parse[T]) -> tuple[T, ...]:
        """The items of a list; a bad item does not spoil the others."""
        found = []
        for number, item in enumerate(self._items(key)):
            try:
                found.append(parse(item))
            except InputError as error:
                self._refuse(error, key, number)
        return tuple(found)

    def mapping(self, key: str, parse: Parse[T]) -> dict[str, T]:
        """Names that the writer chose, each with a value."""
        found = {}
        for entry, value in self._entries(key):
            try:
                found[entry] = parse(value)
            except InputError as error:
                self._refuse(error, key, entry)
        return found

    def labels(self, key: str) -> dict[str, str]:
        """A mapping of texts; the common case, in which every value is a text, is returned as it is."""
        value = self.raw(key)
        if type(value) is dict and all(type(k) is str and type(v) is str for k, v in value.items()):
            return value
        return self.mapping(key, text)

    def child(self, key: str) -> Fields:
        """The mapping inside; an absent one has no fields."""
        return Fields(self.raw(key), self.findings, (*self.steps, key))

    def children(self, key: str) -> list[Fields]:
        """The mappings of a list."""
        return [Fields(item, self.findings, (*self.steps, key, n)) for n, item in enumerate(self._items(key))]

    def named(self, key: str) -> list[tuple[str, Fields]]:
        """The mappings of a mapping, with the names that the writer gave them."""
        entries = self._entries(key)
        return [(entry, Fields(value, self.findings, (*self.steps, key, entry))) for entry, value in entries]

    def build(self, noun: Callable[..., T], /, **values: Any) -> T | None:
        """The noun of these fields; None where it refuses them, or where a problem of one was already reported."""
        return None if self.broken() else self.attempt(lambda: noun(**values))

    def attempt(self, make: Callable[[], T]) -> T | None:
        """The result of `make`; None where it refuses, which is reported as a problem of these fields."""
        try:
            return make()
        except InputError as error:
            self._refuse(error)
            return None

    def add(self, message: str, *inside: Step, next: str = "") -> None:  # noqa: A002 (the name in every error)
        """A problem with a field."""
        self.findings.add((*self.steps, *inside), message, next)

    def warn(self, message: str, *inside: Step, next: str = "") -> None:  # noqa: A002 (the name in every error)
        """Something odd about a field."""
        self.findings.warn((*self.steps, *inside), message, next)

    def ignore(self, *keys: str) -> None:
        """Accept these fields without reading them; for fields that say nothing, or are read elsewhere."""
        self._asked.update(keys)

    def leave(self, *keys: str, reason: str = NOT_ACTED_ON) -> None:
        """Accept these fields, and record the present ones as ignored; no warning is printed for them."""
        self._leave(keys, reason, Neglect.UNUSED)

    def leave_to_runtime(self, keys: Iterable[str]) -> None:
        """The same for fields that whatever runs the Pods acts on."""
        self._leave(keys, FOR_THE_RUNTIME, Neglect.RUNTIME)

    def leave_whole(self, reason: str) -> None:
        """Record this whole mapping as ignored."""
        self.findings.ignore(self.steps, reason, Neglect.UNUSED)

    def warn_ignored(self, key: str, reason: str) -> None:
        """Accept a field that has no effect although its author may expect one."""
        self._asked.add(key)
        self.findings.warn_ignored((*self.steps, key), reason, Neglect.UNUSED)

    def leave_others(self, known: Container[str]) -> None:
        """Record fields that are neither asked for nor `known` as ignored; no warning is printed for them."""
        for key in self.data:
            if isinstance(key, str) and key not in known and key not in self._asked:
                self.findings.ignore((*self.steps, key), NO_SUCH_FIELD, Neglect.UNKNOWN)

    def finish(self) -> None:
        """Report every field that was never asked for."""
        if len(self.data) <= len(self._asked) and self.data.keys() <= self._asked:
            return
        asked = self._asked
        absent = asked - self.data.keys()  # a name that is given as well is not the one that was meant
        compared = 0
        for key in self.data:
            if not isinstance(key, str):
                self.add(f"the name {what(key)} is not text", next="put it in quotes")
            elif key not in asked:
                compared += 1
                near = did_you_mean(key, absent) if absent and compared <= _MOST_COMPARED else ""
                self.findings.warn_ignored((*self.steps, key), NO_SUCH_FIELD, Neglect.UNKNOWN, near)

    def _leave(self, keys: Iterable[str], reason: str, neglect: Neglect) -> None:
        for key in keys:
            self._asked.add(key)
            if self.data.get(key) is not None:
                self.findings.ignore((*self.steps, key), reason, neglect)

    def _refuse(self, error: InputError, *inside: Step) -> None:
        self.findings.add((*self.steps, *inside, *split(error.place)), error.message, error.next)

    def _items(self, key: str) -> list[Any] | tuple[Any, ...]:
        value = self.raw(key)
        if value is None:
            return ()
        if not isinstance(value, list | tuple):
            self.add(f"{what(value)} is no list", key, next="write it as [a, b]")
            return ()
        return value

    def _entries(self, key: str) -> list[tuple[str, Any]]:
        value = self.raw(key)
        if value is None:
            return []
        if not isinstance(value, Mapping):
            self.add(f"{what(value)} is no mapping", key, next="write it as {name: value}")
            return []
        for entry in value:
            if not isinstance(entry, str):
                self.add(f"the name {what(entry)} is not text", key, next="put it in quotes")
        return [(entry, item) for entry, item in value.items() if isinstance(entry, str)]


def read_whole(
    collect: Callable[[Fields], T], document: Document, data: object, steps: tuple[Step, ...] = ()
) -> tuple[T, tuple[str, ...]]:
    """What `collect` reads from `data`, which stands at `steps` of the document, and its warnings.

    InputError with the first problem and the number of all others.
    """
    findings = Findings(document)
    found = collect(Fields(data, findings, steps))
    findings.check()
    return found, tuple(findings.warnings)


def present(found: Iterable[T | None]) -> tuple[T, ...]:
    """The items that could be read; problems of the others are reported already."""
    return tuple(each for each in found if each is not None)
