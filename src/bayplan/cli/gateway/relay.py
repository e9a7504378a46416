"""`bayplan gateway relay`: an HTTP endpoint that passes each request to the engine that suits it best."""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import suppress
from dataclasses import fields
from pathlib import Path  # noqa: TC003 (cyclopts reads the types of flags)
from typing import TYPE_CHECKING, Annotated, Any, Literal

import uvloop
from cyclopts import Parameter

from bayplan.cli.config.config_file import read as read_config_file
from bayplan.cli.errors import warn
from bayplan.cli.gateway.relay_flags import LimitFlags, Policy, PortFlags, RecordFlags, settings
from bayplan.cli.main import DEBUG
from bayplan.cli.text import write
from bayplan.framework.errors import InputError
from bayplan.gateway.relay.process import serve, serve_worker
from bayplan.gateway.relay.world import FileWorld
from bayplan.routing.config.routing_config import RoutingConfig
from bayplan.routing.own_policy import own_config
from bayplan.routing.router import Router
from bayplan.telemetry.log import LogForm, log_to_stderr

if TYPE_CHECKING:
    from collections.abc import Coroutine


def relay(
    *,
    endpoints: Annotated[
        Path | None, Parameter(help="A file with the endpoints; it is read again when it changes.")
    ] = None,
    config: Annotated[Path | None, Parameter(help="An EndpointPickerConfig, or a SchedulerConfig of routing.")] = None,
    policy: Annotated[
        Policy,
        Parameter(help="Without a configuration: hold requests until an engine is free (late), or never (early)."),
    ] = "late",
    ports: PortFlags | None = None,
    limits: LimitFlags | None = None,
    records: RecordFlags | None = None,
    seed: Annotated[int, Parameter(help="Decides between endpoints that are equally good.")] = 0,
    log: Annotated[Literal["text", "json"], Parameter(help="Lines on stderr: for people, or JSON.")] = "text",
    worker_of: Annotated[
        Path | None, Parameter(show=False, help="The socket of the process that owns the router.")
    ] = None,
) -> None:
    """Serve OpenAI's and other engines' HTTP APIs in front of a pool of engines, until Ctrl-C.

    It prints `ready URL` once it serves. Requests go to the engine that the configuration, or our own policy, picks;
    bytes are passed on as they come. docs/relay.md says more.
    """
    ports, limits, records = ports or PortFlags(), limits or LimitFlags(), records or RecordFlags()
    told = settings(limits, records)
    log_to_stderr(debug=DEBUG in os.environ, form=LogForm(log))
    if worker_of is not None:
        _run(serve_worker(worker_of, told, ports.ports(), _say))
        return
    if ports.processes < 1:
        raise InputError(f"{ports.processes} is less than 1", place="--processes")
    if endpoints is None:
        following = "name a file with endpoints: [{name, address, port}]"
        raise InputError("there are no endpoints", place="--endpoints", next=following, code="usage")
    router = Router(_config(config, policy), seed=seed)
    command = worker_command(ports, limits, log)
    _run(serve(router, FileWorld(endpoints), told, ports.ports(), _say, command, processes=ports.processes))


def _config(file: Path | None, policy: Policy) -> RoutingConfig:
    if file is None:
        return own_config(policy)
    config, warnings = read_config_file(str(file))
    if not isinstance(config, RoutingConfig):
        following = "name an EndpointPickerConfig, or a SchedulerConfig with scheduler: routing"
        raise InputError(f"it is a configuration of {config.scheduler}", place=str(file), next=following)
    for each in warnings:
        warn(str(each))
    return config


def worker_command(ports: PortFlags, limits: LimitFlags, log: str) -> list[str]:
    """The command of another relay process; the path of the owner's socket, `--port` and the port follow."""
    words = [sys.executable, "-m", "bayplan", "gateway", "relay", "--host", ports.host, "--log", log]
    for flag, file in (("--tls-cert", ports.tls_cert), ("--tls-key", ports.tls_key)):
        if file is not None:
            words += (flag, str(file))
    for each in fields(limits):
        words += (f"--{each.name.replace('_', '-')}", str(getattr(limits, each.name)))
    return [*words, "--worker-of"]


def _run(serving: Coroutine[Any, Any, None]) -> None:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(serving)


def _say(line: str) -> None:
    with suppress(OSError):  # nobody reads it any more, which is no reason to stop serving
        write(f"{line}\n")
        sys.stdout.flush()
