"""What the handlers of requests work with."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.api.patches.field_rules import UNTYPED

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.api.admission import Admission
    from bayplan.api.patches.field_rules import FieldRules
    from bayplan.control.resources.registry import Registry
    from bayplan.control.resources.resource_type import ResourceType
    from bayplan.control.store import Store


def _untyped(_: ResourceType) -> FieldRules:
    return UNTYPED


@dataclass(frozen=True, slots=True)
class Backend:
    """The store behind the API, the kinds that are served, and what objects must pass."""

    store: Store
    registry: Registry
    admission: Admission
    rules: Callable[[ResourceType], FieldRules] = _untyped
    clock: Callable[[], float] = time.time
