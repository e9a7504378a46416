"""The kinds of patches by media type, which of them a kind of object takes, and the function behind each."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any

from bayplan.api.patches.json_patch import json_patch
from bayplan.api.patches.merge_patch import merge_patch
from bayplan.api.patches.strategic_merge import strategic_merge
from bayplan.api.status import Cause, Refusal

if TYPE_CHECKING:
    from bayplan.api.patches.field_rules import FieldRules
    from bayplan.control.store import Object

_MOST_MANAGER_CHARACTERS = 128  # the bound of Kubernetes


class PatchType(StrEnum):
    """The media types of patches, in the order in which refusals list them."""

    JSON = "application/json-patch+json"
    MERGE = "application/merge-patch+json"
    STRATEGIC = "application/strategic-merge-patch+json"
    APPLY = "application/apply-patch+yaml"


def patch_type(content_type: str, *, custom: bool) -> PatchType:
    """The type of a request's patch; a custom kind has no merge keys, so it takes no strategic merge patch."""
    media_type = content_type.partition(";")[0].strip().lower()
    accepted = [each for each in PatchType if not (custom and each is PatchType.STRATEGIC)]
    if media_type not in accepted:
        known = ", ".join(accepted)
        raise Refusal(415, f"the body of the request was in an unknown format - accepted media types include: {known}")
    return PatchType(media_type)


def patched(kind: PatchType, live: Object, patch: Any, rules: FieldRules) -> Object:
    """The object after any patch but an applied configuration, which has owners and may conflict (`apply.apply`)."""
    if kind is PatchType.JSON:
        return json_patch(live, patch)
    if not isinstance(patch, dict):
        raise Refusal(400, f"error decoding patch: a patch of type {kind} is a map of fields")
    return merge_patch(live, patch) if kind is PatchType.MERGE else strategic_merge(live, patch, rules)


def check_options(kind: PatchType, manager: str, *, force: bool) -> None:
    """Refuse `fieldManager` and `force` where the API server refuses them; `manager` is what the query says."""
    if kind is PatchType.APPLY and not manager:
        raise _invalid("fieldManager", "Required value: is required for apply patch", "FieldValueRequired")
    if kind is not PatchType.APPLY and force:
        raise _invalid("force", "Forbidden: may not be specified for non-apply patch", "FieldValueForbidden")
    check_manager(manager)


def check_manager(manager: str) -> None:
    """Refuse the name of a field manager that is too long or cannot be printed."""
    if len(manager) > _MOST_MANAGER_CHARACTERS:
        problem = f"Too long: may not be more than {_MOST_MANAGER_CHARACTERS} characters"
        raise _invalid("fieldManager", problem, "FieldValueTooLong")
    if not manager.isprintable():
        raise _invalid("fieldManager", "Invalid value: should only contain printable characters", "FieldValueInvalid")


def _invalid(field: str, problem: str, reason: str) -> Refusal:
    message = f'PatchOptions.meta.k8s.io "" is invalid: {field}: {problem}'
    details = {"group": "meta.k8s.io", "kind": "PatchOptions"}
    return Refusal(422, message, "Invalid", [Cause(field, problem, reason)], details)
