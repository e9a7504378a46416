"""The entries of `schedulingProfiles` in a configuration: who stands in which profile, with which weight."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bayplan.framework.config.document import PROFILE, REFERENCE
from bayplan.framework.config.place import Place
from bayplan.framework.config.shapes import BROKEN
from bayplan.framework.profile import Named, Profile, Weighted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bayplan.framework.config.declarations import Declaration, Declarations
    from bayplan.framework.config.findings import Findings
    from bayplan.framework.config.shapes import Record

STANDING = ("filter", "scorer", "picker", "resolver")
_ONLY_ONE = ("picker", "resolver")


@dataclass(frozen=True, slots=True)
class ProfileRules:
    """What profiles of a scheduler may hold; the defaults are the strict rules.

    `standing` are the kinds of plugins in a profile. A `lenient` scheduler takes weights of all plugins, takes other
    kinds but handlers with a warning, and gives pickers itself where none is named.
    """

    profile: Record = PROFILE
    reference: Record = REFERENCE
    standing: tuple[str, ...] = STANDING
    lenient: bool = False


STRICT = ProfileRules()


@dataclass(frozen=True, slots=True, eq=False)
class Use:
    """One reference of a profile to a plugin."""

    plugin: Declaration
    place: Place
    weight: float = 1.0
    level: int = 0

    def document(self) -> dict[str, Any]:
        if not self.plugin.is_a("scorer"):
            return {"pluginRef": self.plugin.name}
        return {"pluginRef": self.plugin.name, "weight": self.weight, "level": self.level}


@dataclass(slots=True, eq=False)
class Draft:
    """A profile on its way: what it says, and the producers that turn out to be needed."""

    name: str
    place: Place
    candidates: str | None = None
    own_table: str | None = None
    whole: bool = True  # whether every reference could be read
    uses: list[Use] = field(default_factory=list)
    producers: list[Declaration] = field(default_factory=list)

    def of(self, kind: str) -> list[Use]:
        return [use for use in self.uses if use.plugin.is_a(kind)]

    @property
    def source(self) -> str | None:
        """The source of its candidates; None where that is the scheduler itself, named or not."""
        return None if self.candidates == self.own_table else self.candidates

    def profile(self) -> Profile:
        """The profile, once the document is known to have no problem."""
        (picker,) = self.of("picker")
        resolvers = self.of("resolver")
        return Profile(
            self.name,
            picker.plugin.plugin,
            filters=tuple(Named(use.plugin.plugin, use.plugin.name) for use in self.of("filter")),
            scorers=tuple(
                Weighted(use.plugin.plugin, use.weight, use.level, use.plugin.name) for use in self.of("scorer")
            ),
            producers=tuple(Named(each.plugin, each.name) for each in self.producers),
            candidates=self.source,
            resolver=resolvers[0].plugin.plugin if resolvers else None,
        )

    def document(self) -> dict[str, Any]:
        """The entry with every default filled in."""
        candidates = self.candidates or self.own_table
        named = {} if candidates is None else {"candidates": candidates}
        return {"name": self.name, **named, "plugins": [use.document() for use in self.uses]}


def read_drafts(
    entries: Sequence[Any], plugins: Declarations, findings: Findings, rules: ProfileRules = STRICT
) -> list[Draft]:
    """The document's profiles, as far as they can be read."""
    root = Place(("schedulingProfiles",))
    if not entries:
        findings.add(root, "there is no profile", "add one: {name: default, plugins: […]}")
    drafts: list[Draft] = []
    for index, entry in enumerate(entries):
        place = root.at(index)
        values = rules.profile.values(entry, place, findings)
        if values is BROKEN:
            continue
        name = values["name"]
        if former := [each for each in drafts if each.name == name and name is not BROKEN]:
            message = f"{name!r} is the name of {former[0].place} too"
            findings.add(place.at("name"), message, "give one of them another name")
        draft = Draft("" if name is BROKEN else name, place, values.get("candidates"))
        if values.get("plugins") is not BROKEN:
            _read_uses(draft, values.get("plugins", ()), plugins, findings, rules)
        drafts.append(draft)
    return drafts


def _read_uses(
    draft: Draft, entries: Sequence[Any], plugins: Declarations, findings: Findings, rules: ProfileRules
) -> None:
    for index, entry in enumerate(entries):
        place = draft.place.at("plugins").at(index)
        values = rules.reference.values(entry, place, findings)
        use = None if values is BROKEN else _use(values, place, plugins, findings)
        if use is None or use.plugin.type is None:
            draft.whole = False  # it might have been the picker
        if use is not None:
            _check_use(use, draft, values, findings, rules)
            draft.uses.append(use)
    if draft.whole and not draft.of("picker") and not rules.lenient:
        findings.add(draft.place.at("plugins"), "there is no picker", "add one, as in {pluginRef: max-score}")


def _use(values: Mapping[str, Any], place: Place, plugins: Declarations, findings: Findings) -> Use | None:
    name = values["plugin_ref"]
    if name is BROKEN:
        return None
    found = plugins.find(name, place.at("pluginRef"), findings)
    if found is None:
        return None
    weight, level = values.get("weight"), values.get("level")
    return Use(found, place, 1.0 if weight in (None, BROKEN) else weight, 0 if level in (None, BROKEN) else level)


def _check_use(use: Use, draft: Draft, values: Mapping[str, Any], findings: Findings, rules: ProfileRules) -> None:
    name, declared = use.plugin.name, use.plugin
    reference = use.place.at("pluginRef")
    if any(each.plugin is declared for each in draft.uses):
        findings.add(reference, f"{name!r} is in this profile twice", "remove one, or declare a second plugin")
        return
    if declared.type is None:
        return
    if not declared.is_a(*rules.standing):
        tell = findings.warn if rules.lenient and not declared.is_a("handler") else findings.add
        tell(reference, f"{name!r} is a {_kinds(declared)}, which is not part of a profile", _where_else(declared))
    for kind in _ONLY_ONE:
        if declared.is_a(kind) and (former := draft.of(kind)):
            message = f"{name!r} is a second {kind} beside {former[0].plugin.name!r}"
            findings.add(reference, message, f"a profile has one {kind}: remove one of them")
    _check_numbers(use, values, findings, rules)


def _check_numbers(use: Use, values: Mapping[str, Any], findings: Findings, rules: ProfileRules) -> None:
    for key in () if rules.lenient or use.plugin.is_a("scorer") else ("weight", "level"):
        if values.get(key) not in (None, BROKEN):
            message = f"{use.plugin.name!r} is a {_kinds(use.plugin)}, and only scorers have a {key}"
            findings.add(use.place.at(key), message, f"remove the {key}")


def _kinds(declared: Declaration) -> str:
    return "" if declared.type is None else " and ".join(declared.type.kinds)


def _where_else(declared: Declaration) -> str:
    if declared.is_a("producer"):
        return "remove the reference: it runs wherever its columns are read"
    if declared.is_a("handler"):
        return f"write profileHandler: {{pluginRef: {declared.name}}}"
    return f"write candidates: {declared.name}" if declared.is_a("source") else "remove the reference"
