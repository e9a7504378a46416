"""A scheduler from plain data: read strictly, all problems at once, each with its path and line."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from bayplan.framework.config.data_flow import DataFlow
from bayplan.framework.config.declarations import Declarations
from bayplan.framework.config.document import API_VERSION, CONFIG, HANDLER, KIND
from bayplan.framework.config.drafts import Use, read_drafts
from bayplan.framework.config.findings import Findings
from bayplan.framework.config.place import Place
from bayplan.framework.config.shapes import BROKEN
from bayplan.framework.handlers.single_profile import SingleProfile
from bayplan.framework.nearest import did_you_mean
from bayplan.framework.registry import AROUND, plugin_type
from bayplan.framework.scheduler import DEFAULT_BUDGET_BYTES, Scheduler

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from bayplan.framework.config.declarations import Declaration
    from bayplan.framework.config.drafts import Draft
    from bayplan.framework.errors import Problem
    from bayplan.framework.plugins import CandidateSource, Observer, ProfileHandler
    from bayplan.framework.profile import Profile
    from bayplan.framework.registry import Registry
    from bayplan.framework.schema import Schema
    from bayplan.framework.table import AnyTable

_HANDLER = Place(("profileHandler",))


@dataclass(frozen=True, slots=True)
class Additions:
    """What a scheduler has whatever its configuration says.

    `filters` are plugin types that stand before a profile's own filters where it leaves them out; `handler` is the
    type that is used where none is named; `candidates` is what documents call the scheduler's own table.
    """

    filters: tuple[str, ...] = ()
    handler: str = ""
    candidates: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class SchedulerConfig:
    """A configuration without problems. Its plugins are made already, and hold their state: it is for one scheduler."""

    scheduler: str
    profiles: tuple[Profile, ...]
    handler: ProfileHandler
    sources: tuple[CandidateSource, ...] = ()
    on_plugin_error: Literal["fail", "skip"] = "fail"
    warnings: tuple[Problem, ...] = ()
    full: Mapping[str, Any] = field(default_factory=dict, repr=False)
    around: tuple[Any, ...] = ()
    """Plugins that act around decisions, in the order of the document."""

    def document(self) -> dict[str, Any]:
        """The document with every default filled in and everything that was added; reading it gives the same again."""
        return deepcopy(dict(self.full))


@dataclass(slots=True)
class NamedSource:
    """A source of candidates under the name that the configuration gives it."""

    name: str
    candidates: Callable[..., AnyTable]


def read_config(
    document: Mapping[str, Any],
    registry: Registry,
    *,
    line: Callable[[str], int | None] | None = None,
    columns: Mapping[str, Schema] | None = None,
    additions: Mapping[str, Additions] | None = None,
    schedulers: Collection[str] = (),
) -> SchedulerConfig:
    """The configuration, or ConfigError with all its problems.

    `columns` and `additions` are looked up by the scheduler's name, or by `SCHEDULER/CANDIDATES` for a profile with
    candidates of its own. Where `columns` has no schema, a column that no plugin produces is taken to be the table's.
    `schedulers` are the names that `scheduler` may have; any, if there are none.
    """
    return _Reader(registry, Findings(line), columns or {}, additions or {}, schedulers).read(document)


def scheduler(
    config: SchedulerConfig,
    *,
    table: AnyTable | None = None,
    sources: Iterable[CandidateSource] = (),
    observers: Sequence[Observer] = (),
    budget_bytes: int = DEFAULT_BUDGET_BYTES,
) -> Scheduler:
    """The scheduler that a configuration describes; with a table, it is known to suit that table's columns."""
    built = Scheduler(
        config.profiles,
        config.handler,
        table=table,
        sources=(*sources, *config.sources),
        observers=observers,
        skip_broken=config.on_plugin_error == "skip",
        budget_bytes=budget_bytes,
    )
    for profile in config.profiles:
        if table is not None and profile.candidates is None:
            built.evaluator(profile.name)
    return built


class _Reader:
    """One pass over one document."""

    def __init__(
        self,
        registry: Registry,
        findings: Findings,
        columns: Mapping[str, Schema],
        additions: Mapping[str, Additions],
        schedulers: Collection[str],
    ) -> None:
        self.registry, self.findings = registry, findings
        self.columns, self.additions, self.schedulers = columns, additions, schedulers
        self.plugins = Declarations(registry)

    def read(self, document: Mapping[str, Any]) -> SchedulerConfig:
        values = CONFIG.values(document, Place(), self.findings)
        if values is BROKEN:
            raise self.findings.error()
        name = self._scheduler_name(values)
        self.plugins.read(values.get("plugins", ()), self.findings)
        profiles = values.get("scheduling_profiles", ())
        drafts = [] if profiles is BROKEN else read_drafts(profiles, self.plugins, self.findings)
        for draft in drafts:
            draft.own_table = self._added(name).candidates
        handler = self._handler(values.get("profile_handler"), drafts, name)
        self._add_filters(drafts, name)
        self._follow_data(drafts, name)
        if handler is not None:
            self._check_handler(handler, drafts)
        if handler is None or self.findings.problems:
            raise self.findings.error()
        self._warn_of_idle(drafts, handler)
        return self._config(values, name, drafts, handler)

    def _scheduler_name(self, values: Mapping[str, Any]) -> str:
        name = values.get("scheduler") or ""
        if name is BROKEN:
            return ""
        if self.schedulers and name not in self.schedulers:
            message = f"there is no scheduler {name!r}" if name else "is missing"
            self.findings.add(Place(("scheduler",)), message, did_you_mean(name, self.schedulers))
        return str(name)

    def _handler(self, entry: Any, drafts: Sequence[Draft], name: str) -> Declaration | None:
        declared = self.plugins.of("handler")
        if len(declared) > 1:
            names = " and ".join(repr(each.name) for each in declared)
            message = f"{names} are handlers, and a scheduler has one"
            self.findings.add(declared[1].place, message, "keep the one that profileHandler should name")
        if entry is not None:
            return self._named_handler(entry)
        if declared:
            return declared[0]
        default = self._added(name).handler
        if default:
            return self.plugins.add(self.registry.find(default))
        if len(drafts) > 1:
            message = f"{len(drafts)} profiles, and nothing says which of them runs next"
            step = "declare a handler under plugins and name it: profileHandler: {pluginRef: …}"
            self.findings.add(_HANDLER, message, step)
            return None
        known = SingleProfile.name in self.registry
        return self.plugins.add(self.registry.find(SingleProfile.name) if known else plugin_type(SingleProfile))

    def _named_handler(self, entry: Any) -> Declaration | None:
        values = BROKEN if entry is BROKEN else HANDLER.values(entry, _HANDLER, self.findings)
        name = BROKEN if values is BROKEN else values["plugin_ref"]
        if name is BROKEN:
            return None
        place = _HANDLER.at("pluginRef")
        found = self.plugins.find(name, place, self.findings)
        if found is not None and found.type is not None and not found.is_a("handler"):
            handlers = [each.name for each in self.registry if "handler" in each.kinds]
            message = f"{name!r} is a {' and '.join(found.type.kinds)}, not a handler"
            self.findings.add(place, message, f"handlers are: {', '.join(handlers)}")
        return found

    def _check_handler(self, handler: Declaration, drafts: Sequence[Draft]) -> None:
        """A handler may have a method `check(names) -> problems`: it knows which profiles it can do with."""
        check = getattr(handler.plugin, "check", None)
        for problem in check([draft.name for draft in drafts]) if check is not None and drafts else ():
            self.findings.add(_HANDLER, f"{handler.name!r} {problem}", "change the profiles or the handler")

    def _add_filters(self, drafts: Sequence[Draft], name: str) -> None:
        for draft in drafts:
            there = {use.plugin.type for use in draft.uses}
            types = [self.registry.find(each) for each in self._added(_key(name, draft)).filters]
            # before its own
            draft.uses[:0] = [Use(self.plugins.add(each), draft.place) for each in types if each not in there]

    def _added(self, key: str) -> Additions:
        return self.additions.get(key, Additions())

    def _follow_data(self, drafts: Sequence[Draft], name: str) -> None:
        flow = DataFlow(self.plugins, self.findings)
        known = {key.partition("/")[2] for key in self.columns if key.startswith(f"{name}/")}
        known_here = known | {each.name for each in self.plugins.of("source")}
        for draft in drafts:
            source = draft.source
            if known and isinstance(source, str) and source not in known_here:
                place = draft.place.at("candidates")
                self.findings.add(place, f"there are no candidates {source!r}", did_you_mean(source, known_here))
            flow.give_producers(draft, self.columns.get(_key(name, draft)))

    def _warn_of_idle(self, drafts: Sequence[Draft], handler: Declaration) -> None:
        busy = {id(use.plugin) for draft in drafts for use in draft.uses} | {id(handler)}
        busy |= {id(each) for draft in drafts for each in draft.producers}
        for each in self.plugins:
            if id(each) not in busy and not each.is_a("source") and not _is_around(each):
                reason = "no plugin reads its columns" if each.is_a("producer") else "no profile refers to it"
                self.findings.warn(each.place, f"{each.name!r} is not used: {reason}", "remove it, or refer to it")

    def _config(
        self, values: Mapping[str, Any], name: str, drafts: Sequence[Draft], handler: Declaration
    ) -> SchedulerConfig:
        on_error = values.get("on_plugin_error", "fail")
        metadata = values.get("metadata")
        full: dict[str, Any] = {
            "apiVersion": API_VERSION,
            "kind": KIND,
            **({} if metadata is None else {"metadata": metadata}),
            **({"scheduler": name} if name else {}),
            "plugins": [each.document() for each in self.plugins],
            "profileHandler": {"pluginRef": handler.name},
            "schedulingProfiles": [draft.document() for draft in drafts],
            "onPluginError": on_error,
        }
        sources = tuple(NamedSource(each.name, each.plugin.candidates) for each in self.plugins.of("source"))
        profiles = tuple(draft.profile() for draft in drafts)
        warnings = tuple(self.findings.warnings)
        around = tuple(each.plugin for each in self.plugins if _is_around(each))
        return SchedulerConfig(name, profiles, handler.plugin, sources, on_error, warnings, deepcopy(full), around)


def _is_around(declared: Declaration) -> bool:
    return any(declared.is_a(kind) for kind in AROUND)


def _key(scheduler_name: str, draft: Draft) -> str:
    return scheduler_name if draft.source is None else f"{scheduler_name}/{draft.source}"
