"""Bayplan decides where AI work runs, and says why.

The names below are loaded when they are first used, so that `bayplan.framework` needs NumPy alone.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bayplan import framework
    from bayplan.framework.errors import BayplanError
    from bayplan.library.estimate import estimate
    from bayplan.library.gpus import gpus
    from bayplan.library.plan import plan
    from bayplan.library.read_cluster import read_cluster
    from bayplan.library.read_config import read_config
    from bayplan.library.rehearse import rehearse
    from bayplan.library.route import route
    from bayplan.library.scale import scale
    from bayplan.library.scrape import scrape
    from bayplan.library.status.answer import status
    from bayplan.library.validate import validate
    from bayplan.library.why import why

__all__ = [
    "BayplanError",
    "__version__",
    "estimate",
    "framework",
    "gpus",
    "plan",
    "read_cluster",
    "read_config",
    "rehearse",
    "route",
    "scale",
    "scrape",
    "status",
    "validate",
    "why",
]

__version__ = "0.1.0"

_HOMES = {
    "BayplanError": "bayplan.framework.errors",
    "estimate": "bayplan.library.estimate",
    "gpus": "bayplan.library.gpus",
    "plan": "bayplan.library.plan",
    "read_cluster": "bayplan.library.read_cluster",
    "read_config": "bayplan.library.read_config",
    "rehearse": "bayplan.library.rehearse",
    "route": "bayplan.library.route",
    "scale": "bayplan.library.scale",
    "scrape": "bayplan.library.scrape",
    "status": "bayplan.library.status.answer",
    "validate": "bayplan.library.validate",
    "why": "bayplan.library.why",
}
_PARTS = frozenset({"cluster", "framework", "manifests", "placement", "sizing"})


def __getattr__(name: str) -> Any:
    if name in _PARTS:
        return import_module(f"bayplan.{name}")
    if name not in _HOMES:
        message = f"module 'bayplan' has no attribute {name!r}"
        raise AttributeError(message)
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES, *_PARTS})
