"""Finding a kind by its path, by `apiVersion` and `kind`, or by what a user calls it."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from bayplan.control.resources.kinds import KINDS
from bayplan.framework.errors import InputError
from bayplan.framework.nearest import nearest

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bayplan.control.resources.resource_type import Api, ResourceType


class Registry:
    """Kinds with their lookups; of kinds with the same name, the first that was given is preferred."""

    def __init__(self, kinds: Iterable[ResourceType]) -> None:
        self.kinds = tuple(kinds)
        self._by_path: dict[tuple[str, str, str], ResourceType] = {}
        self._by_kind: dict[tuple[str, str], ResourceType] = {}
        self._by_name: defaultdict[str, list[ResourceType]] = defaultdict(list)
        for each in self.kinds:
            self._add(each)

    def _add(self, kind: ResourceType) -> None:
        for api in kind.apis:
            self._by_path[api.group, api.version, kind.plural] = kind
            self._by_kind[api.group, kind.kind] = kind
            for name in {kind.singular, kind.plural} if api.group else ():
                self._by_name[f"{name}.{api.group}"].append(kind)
                self._by_name[f"{name}.{api.version}.{api.group}"].append(kind)
        for name in {kind.singular, kind.plural, *kind.short_names}:
            self._by_name[name].append(kind)

    def at(self, group: str, version: str, plural: str) -> ResourceType | None:
        """The kind behind a path: `agentpools` of `neuronetes.ai`, `v1alpha1`."""
        return self._by_path.get((group, version, plural))

    def of_kind(self, group: str, kind: str) -> ResourceType | None:
        """The kind of that name in a group, whatever the version."""
        return self._by_kind.get((group, kind))

    def of_document(self, api_version: str, kind: str) -> ResourceType | None:
        """The kind of a document, if it is served under exactly that `apiVersion`."""
        group, _, version = api_version.rpartition("/")
        found = self._by_kind.get((group, kind))
        return found if found is not None and found.served_by(group, version) else None

    def named(self, text: str) -> tuple[ResourceType, ...]:
        """All kinds with that plural, singular or short name in any case; also `NAME.GROUP`, `NAME.VERSION.GROUP`."""
        return tuple(dict.fromkeys(self._by_name.get(text.lower(), ())))

    def resolve(self, text: str) -> ResourceType:
        """The one kind that `text` names; InputError where there is none, or several to choose from."""
        found = self.named(text)
        if len(found) == 1:
            return found[0]
        if not found:
            near = nearest(text.lower(), sorted(self._by_name))
            following = f"did you mean {near!r}?" if near else "`bayplan get --help` lists the kinds"
            raise InputError(f"there is no kind {text[:64]!r}", place="kind", next=following)
        choices = " or ".join(_choice(each) for each in found)
        raise InputError(f"{text!r} names {len(found)} kinds", place="kind", next=f"say {choices}")

    def placed(self, text: str) -> ResourceType:
        """The one kind that a question about places means: `model` is the one that servers load."""
        found = [each for each in self.named(text) if each.full_name == "models.mlops.seldon.io"]
        return found[0] if found else self.resolve(text)

    def apis(self) -> tuple[Api, ...]:
        """Every API group and version that is served, once, in the order of the kinds."""
        return tuple(dict.fromkeys(api for each in self.kinds for api in each.apis))

    def served_under(self, group: str, version: str) -> tuple[ResourceType, ...]:
        """The kinds of one API."""
        return tuple(each for each in self.kinds if each.served_by(group, version))


def _choice(kind: ResourceType) -> str:
    short = f" ({kind.short_names[0]})" if kind.short_names else ""
    return kind.full_name + short


REGISTRY = Registry(KINDS)
