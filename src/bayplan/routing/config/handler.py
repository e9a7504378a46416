"""The profile handler of a configuration, and the profiles that it names in its parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from bayplan.framework.config.place import Place
from bayplan.framework.nearest import did_you_mean
from bayplan.routing.config.told_values import place_of, value_at

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bayplan.framework.config.declarations import Declaration, Declarations
    from bayplan.framework.config.drafts import Draft
    from bayplan.framework.config.findings import Findings

_PLACE: Final = Place(("profileHandler",))
_DEFAULT: Final = "single-profile-handler"
_OF_ONE_PROFILE: Final = (_DEFAULT, "data-parallel-profile-handler")
_HEADER: Final = "header-profile-handler"
_SHADOW: Final = "shadow-profile-handler"


class _Stage(NamedTuple):
    """A parameter that names a profile, what it names where it is absent, and the parameter of its decider.

    Without a decider the profile must be there; with one, only if either parameter is given.
    """

    path: tuple[str, ...]
    default: str
    decider: tuple[str, ...] = ()


_STAGES: Final[Mapping[str, tuple[_Stage, ...]]] = {
    "disagg-profile-handler": (
        _Stage(("profiles", "decode"), "decode"),
        _Stage(("profiles", "prefill"), "prefill", ("deciders", "prefill")),
        _Stage(("profiles", "encode"), "encode", ("deciders", "encode")),
    ),
    "pd-profile-handler": (
        _Stage(("decodeProfile",), "decode"),
        _Stage(("prefillProfile",), "prefill", ("deciderPluginName",)),
    ),
}


def find_handler(
    named: Declaration | None, drafts: Sequence[Draft], plugins: Declarations, findings: Findings
) -> Declaration | None:
    """The handler that the document names or declares; None where it should have one and has none."""
    declared = plugins.of("handler")
    if len(declared) > 1:
        names = " and ".join(repr(each.name) for each in declared)
        findings.add(_PLACE, f"{names} are profile handlers, and there can be one", "keep one of them")
    if named is not None or declared:
        return named or declared[0]
    if len(drafts) > 1:
        message = f"there are {len(drafts)} profiles, and no handler says which of them runs"
        findings.add(_PLACE, message, "declare a profile handler under plugins")
        return None
    return plugins.add(plugins.registry.find(_DEFAULT))


def check_handler(handler: Declaration, drafts: Sequence[Draft], findings: Findings) -> None:
    """Say which of the profiles that the handler needs are not there."""
    names = [draft.name for draft in drafts if draft.name]
    type_name = "" if handler.type is None else handler.type.name
    if type_name in _OF_ONE_PROFILE and len(drafts) > 1:
        message = f"{handler.name!r} runs the only profile, and there are {len(drafts)}"
        findings.add(_PLACE, message, "keep one profile, or declare another handler")
    for stage in _STAGES.get(type_name, ()):
        found = value_at(handler, stage.path)
        if found is not None or not stage.decider or value_at(handler, stage.decider) is not None:
            _check(stage.default if found is None else found, handler, stage.path, names, findings)
    if type_name == _SHADOW:
        _check_shadows(handler, names, findings)
    if type_name == _HEADER:
        _warn_of_default(handler, names, findings)


def _check_shadows(handler: Declaration, names: Sequence[str], findings: Findings) -> None:
    _check(handler.given.get("primary"), handler, ("primary",), names, findings)
    shadows = handler.given.get("shadows")
    for number, shadow in enumerate(shadows if isinstance(shadows, list | tuple) else ()):
        _check(shadow, handler, ("shadows", number), names, findings)


def _warn_of_default(handler: Declaration, names: Sequence[str], findings: Findings) -> None:
    default = handler.given.get("defaultProfile", "decode")
    if len(names) > 1 and isinstance(default, str) and default not in names:
        message = f"the default profile {default!r} is none of the profiles: requests without the header get 400"
        findings.warn(place_of(handler, ("defaultProfile",)), message, did_you_mean(default, names))


def _check(
    name: Any, handler: Declaration, path: Sequence[str | int], names: Sequence[str], findings: Findings
) -> None:
    """What is no text was refused with the other parameters."""
    if isinstance(name, str) and name not in names:
        findings.add(place_of(handler, path), f"no profile is called {name!r}", did_you_mean(name, names))
