"""Which plugins there are: the built-ins by name, those registered from code, and those of installed packages.

Nothing is registered by being imported. The builder of a registry hands over what it should know.
"""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar, get_type_hints

from bayplan.framework.config.parameters import parameters_of
from bayplan.framework.config.place import clip
from bayplan.framework.config.shapes import Record
from bayplan.framework.errors import BayplanError, InputError, Problem, UnknownPluginError
from bayplan.framework.nearest import did_you_mean
from bayplan.framework.plugins import Depends

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from importlib.metadata import EntryPoint

T = TypeVar("T")

ENTRY_POINTS = "bayplan.plugins"
BUILT_IN = "built-in"
KINDS = {
    "filter": "mask",
    "scorer": "score",
    "producer": "produce",
    "picker": "pick",
    "handler": "pick_profiles",
    "source": "candidates",
    "resolver": "resolve",
    "queue-sort": "queue_key",
    "reserve": "reserve",
    "permit": "permit",
    "pre-bind": "pre_bind",
    "post-bind": "post_bind",
}
"""The kinds of plugins, each with the method by which it is known."""

AROUND = ("queue-sort", "reserve", "permit", "pre-bind", "post-bind")
"""Kinds that act around decisions, in a scheduler that carries them out; no profile refers to them."""

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


@dataclass(frozen=True, slots=True, eq=False)
class PluginType:
    """A plugin by its name in configurations: what it is, what it can be told, who brought it."""

    name: str
    kinds: tuple[str, ...]
    parameters: Record = field(repr=False)
    aliases: tuple[str, ...] = ()
    origin: str = BUILT_IN
    about: Any = field(default=None, repr=False)  # the class or object that declares what it reads and produces
    doc: str = field(default="", repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, *self.aliases)

    @property
    def description(self) -> str:
        """Its docstring without the section on parameters."""
        return self.doc.split("\nParameters:")[0].strip()

    @property
    def summary(self) -> str:
        """The first sentence or line of its docstring."""
        return self.description.partition("\n\n")[0].replace("\n", " ")

    @property
    def reads(self) -> tuple[str, ...] | None:
        """The columns it reads; None where that depends on its parameters."""
        return _declared(self.about, "reads")

    @property
    def produces(self) -> tuple[str, ...] | None:
        """The columns it makes; None where that depends on its parameters."""
        return _declared(self.about, "produces")

    @property
    def depends(self) -> Depends | None:
        """What it declares to look at besides its columns: the cycle or other rows; None for nothing."""
        declared = getattr(self.about, "depends", None)
        return declared if isinstance(declared, Depends) else None

    def make(self, **parameters: Any) -> Any:
        """A new plugin object, which holds its own state."""
        return self.parameters.build(**parameters)


class Registry:
    """Plugin types by name and alias. A name stands for one of them only."""

    def __init__(self, built_ins: Iterable[Any] = ()) -> None:
        self._types: dict[str, PluginType] = {}
        self._by_any_name: dict[str, PluginType] = {}
        self._broken: dict[str, Problem] | None = None
        for factory in built_ins:
            self.register(factory, origin=BUILT_IN)

    def register(self, factory: T, name: str | None = None, *, origin: str = "code") -> T:
        """Make a plugin known: a class, a dataclass, a function that makes one, or a ready-made object.

        A class or object brings its name; a function must say what it returns. It is handed back, so that this may
        stand above a definition.
        """
        self._add(plugin_type(factory, name, origin=origin))
        return factory

    def find(self, name: str) -> PluginType:
        """The plugin of that name or alias; UnknownPluginError with the nearest name otherwise."""
        found = self._by_any_name.get(name)
        if found is not None:
            return found
        broken = (self._broken or {}).get(name)
        if broken is not None:
            raise UnknownPluginError(f"the plugin {name!r} could not be loaded", next=str(broken))
        message = f"no plugin is called {clip(name)!r}"
        raise UnknownPluginError(message, next=did_you_mean(name, self._by_any_name))

    def joined(self, other: Registry) -> Registry:
        """The types of both; an alias that is the name of a type of the other one is left out."""
        both = Registry()
        both._broken = {**(self._broken or {}), **(other._broken or {})}
        types = {**other._types, **self._types}
        for each in types.values():
            free = tuple(alias for alias in each.aliases if alias not in types and alias not in both)
            both._add(replace(each, aliases=free))
        return both

    def load_entry_points(self) -> tuple[Problem, ...]:
        """Add the plugins of installed packages; a broken one is reported, and the others are loaded all the same.

        Looked up when asked, and once: that import alone brings sockets and logging with it.
        """
        if self._broken is None:
            from importlib.metadata import entry_points  # noqa: PLC0415 (see above)

            self._broken = {}
            for point in sorted(entry_points(group=ENTRY_POINTS), key=lambda point: point.name):
                self._load(point, self._broken)
        return tuple(self._broken.values())

    def __iter__(self) -> Iterator[PluginType]:
        return iter(sorted(self._types.values(), key=lambda each: each.name))

    def __len__(self) -> int:
        return len(self._types)

    def __contains__(self, name: object) -> bool:
        return name in self._by_any_name

    def _add(self, added: PluginType) -> None:
        for name in added.names:
            if (there := self._by_any_name.get(name)) is not None:
                message = f"{name!r} is already the name of a plugin ({there.origin})"
                raise InputError(message, place=f"plugin {added.name}", next="give it another name")
        self._types[added.name] = added
        self._by_any_name.update(dict.fromkeys(added.names, added))

    def _load(self, point: EntryPoint, broken: dict[str, Problem]) -> None:
        origin = f"{point.dist.name} {point.dist.version}" if point.dist is not None else "an unknown package"
        try:
            self._add(plugin_type(point.load(), point.name, origin=origin))
        except BayplanError as problem:
            text, step = problem.message, problem.next
        except (Exception, SystemExit) as problem:  # foreign code may even exit when imported
            text, step = f"{type(problem).__name__}: {problem}", "repair or uninstall it"
        else:
            return
        broken[point.name] = Problem(f"plugin {point.name} of {origin}", text, step)


def plugin_type(factory: Any, name: str | None = None, *, origin: str = "code") -> PluginType:
    """What a registry keeps of a plugin; InputError where it is no plugin."""
    about = _about(factory)
    kinds = kinds_of(about)
    chosen = name or _own_name(factory)
    place = f"plugin {chosen}"
    if not _NAME.fullmatch(chosen):
        raise InputError(f"{chosen!r} is no name for a plugin", place=place, next="use kebab-case, as in 'label-match'")
    if not kinds:
        methods = ", ".join(KINDS.values())
        raise InputError(f"{about!r} has none of the methods of a plugin", place=place, next=f"write one of {methods}")
    ready_made = about is factory and not inspect.isclass(factory)
    parameters = Record((), lambda: factory) if ready_made else parameters_of(factory)
    own = getattr(about, "name", None)
    aliases = tuple(getattr(about, "aliases", ())) if chosen == own else ()
    doc = inspect.getdoc(factory) or inspect.getdoc(about) or ""
    return PluginType(chosen, kinds, parameters, aliases, origin, about, doc)


def kinds_of(plugin: Any) -> tuple[str, ...]:
    """What a plugin is, by its methods, and by `kinds` where it is something that only its scheduler knows."""
    own = getattr(plugin, "kinds", ())
    by_method = (kind for kind, method in KINDS.items() if callable(getattr(plugin, method, None)))
    return tuple(dict.fromkeys((*by_method, *own)))


def _about(factory: Any) -> Any:
    """The class or object whose attributes say what the plugin is."""
    if not inspect.isroutine(factory):
        return factory
    made = get_type_hints(factory).get("return")
    if not inspect.isclass(made):
        raise InputError(
            "does not say which plugin it makes",
            place=f"function {factory.__qualname__}",
            next="annotate what it returns",
        )
    return made


def _own_name(factory: Any) -> str:
    if inspect.isroutine(factory):
        return factory.__name__.strip("_").replace("_", "-")
    name = getattr(factory, "name", None)
    return name if isinstance(name, str) else getattr(factory, "__name__", type(factory).__name__)


def _declared(about: Any, attribute: str) -> tuple[str, ...] | None:
    value = getattr(about, attribute, ())
    return tuple(value) if isinstance(value, tuple | list) else None
