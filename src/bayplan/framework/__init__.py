"""What a scheduler is: tables, plugins, profiles, handlers, outcomes. Knows no GPU, no request, no Kubernetes.

`from bayplan.framework import Scheduler, Table` is the way in; every name is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bayplan.framework.adapter import filter_of as filter_of, scorer_of as scorer_of
    from bayplan.framework.config.scheduler_config import SchedulerConfig as SchedulerConfig, read_config as read_config
    from bayplan.framework.contract_check import assert_contract as assert_contract, check_plugin as check_plugin
    from bayplan.framework.cycle import Cycle as Cycle, Key as Key
    from bayplan.framework.errors import BayplanError as BayplanError, PluginError as PluginError
    from bayplan.framework.handlers.single_profile import SingleProfile as SingleProfile
    from bayplan.framework.list_table import ListTable as ListTable
    from bayplan.framework.outcome import Decision as Decision, Outcome as Outcome
    from bayplan.framework.pickers.max_score import MaxScore as MaxScore
    from bayplan.framework.plugins import (
        SKIP as SKIP,
        Depends as Depends,
        Resolution as Resolution,
        Run as Run,
        Want as Want,
        Watch as Watch,
    )
    from bayplan.framework.profile import Named as Named, Profile as Profile, Weighted as Weighted
    from bayplan.framework.reasons import Reasons as Reasons
    from bayplan.framework.registry import Registry as Registry
    from bayplan.framework.rows import Rows as Rows
    from bayplan.framework.scheduler import Scheduler as Scheduler
    from bayplan.framework.table import Table as Table
    from bayplan.framework.twins import Twin as Twin

_HOMES = {
    "BayplanError": "errors",
    "Cycle": "cycle",
    "Decision": "outcome",
    "Depends": "plugins",
    "Key": "cycle",
    "ListTable": "list_table",
    "MaxScore": "pickers.max_score",
    "Named": "profile",
    "Outcome": "outcome",
    "PluginError": "errors",
    "Profile": "profile",
    "Reasons": "reasons",
    "Registry": "registry",
    "Resolution": "plugins",
    "Rows": "rows",
    "Run": "plugins",
    "SKIP": "plugins",
    "Scheduler": "scheduler",
    "SchedulerConfig": "config.scheduler_config",
    "SingleProfile": "handlers.single_profile",
    "Table": "table",
    "Twin": "twins",
    "Want": "plugins",
    "Watch": "plugins",
    "Weighted": "profile",
    "assert_contract": "contract_check",
    "check_plugin": "contract_check",
    "filter_of": "adapter",
    "read_config": "config.scheduler_config",
    "scorer_of": "adapter",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
