"""What the commands of data planes share: their configuration, their event loop, and the lines that they print."""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import uvloop

from bayplan.cli.errors import warn
from bayplan.cli.text import write
from bayplan.framework.errors import InputError
from bayplan.routing.config.routing_config import RoutingConfig
from bayplan.routing.own_policy import own_config

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from pathlib import Path

    from bayplan.cli.gateway.relay_flags import Policy


def routing_config(file: Path | None, policy: Policy) -> RoutingConfig:
    """The configuration of a file, or our own policy where none is named; its warnings are told."""
    if file is None:
        return own_config(policy)
    from bayplan.cli.config.config_file import read  # noqa: PLC0415 (it knows all schedulers, which takes as long as the rest)

    config, warnings = read(str(file))
    if not isinstance(config, RoutingConfig):
        following = "name an EndpointPickerConfig, or a SchedulerConfig with scheduler: routing"
        raise InputError(f"it is a configuration of {config.scheduler}", place=str(file), next=following)
    for each in warnings:
        warn(str(each))
    return config


def run(serving: Coroutine[Any, Any, None]) -> None:
    """Run a data plane until it ends."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(serving)


def say(line: str) -> None:
    """Print a line for whoever waits for it."""
    with suppress(OSError):  # nobody reads it any more, which is no reason to stop serving
        write(f"{line}\n")
        sys.stdout.flush()
