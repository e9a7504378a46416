"""The profiles of a configuration: those that it lists, or the default one; each gets a picker."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from bayplan.framework.config.drafts import Use, read_drafts
from bayplan.routing.config.entries import profile_of_all
from bayplan.routing.plugin_kinds import DETECTOR

if TYPE_CHECKING:
    from bayplan.framework.config.declarations import Declaration, Declarations
    from bayplan.framework.config.drafts import Draft, ProfileRules
    from bayplan.framework.config.findings import Findings

CANDIDATES: Final = "endpoints"
"""What documents call the table of endpoints."""

_PICKER: Final = "max-score-picker"


def read_profiles(entries: Any, plugins: Declarations, findings: Findings, rules: ProfileRules) -> list[Draft]:
    """The profiles, as far as they can be read; without entries one of all filters, scorers and pickers."""
    drafts = read_drafts(entries or profile_of_all(_names_for_all(plugins)), plugins, findings, rules)
    for draft in drafts:
        draft.own_table = CANDIDATES
        if isinstance(draft.source, str):
            message = f"there are no candidates {draft.source!r}"
            findings.add(draft.place.at("candidates"), message, f"write {CANDIDATES}, or leave it out")
        if draft.whole and not draft.of("picker"):
            draft.uses.append(Use(_picker(plugins), draft.place))
        _warn_of_weights(draft, findings)
    return drafts


def _names_for_all(plugins: Declarations) -> list[str]:
    standing = [each for each in plugins if each.is_a("filter", "scorer", "picker") and not each.is_a(DETECTOR)]
    return [each.name for each in standing]


def _picker(plugins: Declarations) -> Declaration:
    declared = plugins.of("picker")
    return declared[0] if declared else plugins.add(plugins.registry.find(_PICKER))


def _warn_of_weights(draft: Draft, findings: Findings) -> None:
    for use in draft.uses:
        if use.weight != 1.0 and use.plugin.type is not None and not use.plugin.is_a("scorer"):
            message = f"{use.plugin.name!r} is no scorer, so its weight has no effect"
            findings.warn(use.place.at("weight"), message, "remove the weight")
