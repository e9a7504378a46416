"""Label selectors as objects of Kubernetes write them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from bayplan.cluster.selector import Requirement, Selector
from bayplan.framework.errors import InputError
from bayplan.library.status.documents import part

if TYPE_CHECKING:
    from collections.abc import Mapping

_known: dict[bytes, Selector | None] = {}
_MOST_KNOWN = 4096  # selectors of one cluster; past that all are read again, which costs little


def selects(written: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    """Whether a selector chooses these labels; an empty one, or one that cannot be read, chooses nothing."""
    if not written:
        return False
    text = orjson.dumps(written)
    if text not in _known:
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        _known[text] = _read(written)
    selector = _known[text]
    return selector is not None and selector.matches(labels)


def _read(written: Mapping[str, Any]) -> Selector | None:
    expressions = written.get("matchExpressions")
    try:
        requirements = [
            Requirement.parse(str(each.get("key")), each.get("operator"), each.get("values") or [], "selector")
            for each in (expressions if isinstance(expressions, list) else ())
        ]
        return Selector.of_labels(part(written, "matchLabels"), *requirements)
    except (InputError, AttributeError):
        return None
