"""JSON merge patch (RFC 7386): maps are merged, null deletes a key, everything else replaces.

As in Kubernetes, fields that are null are also left out of maps inside lists, where the RFC would keep them.
"""

from __future__ import annotations

from typing import Any

from bayplan.api.patches.json_values import JsonMap, without_nulls


def merge_patch(document: JsonMap, patch: JsonMap) -> JsonMap:
    """The patched document; neither argument is changed, and the patch may be used again."""
    merged = dict(document)
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = _merged(merged.get(key), value)
    return merged


def _merged(value: Any, patch: Any) -> Any:
    if not isinstance(patch, dict):
        return without_nulls(patch)
    return merge_patch(value if isinstance(value, dict) else {}, patch)
