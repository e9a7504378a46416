"""`bayplan gateway relay`: an HTTP endpoint that passes each request to the engine that suits it best."""

from __future__ import annotations

import os
import sys
from dataclasses import fields
from pathlib import Path  # noqa: TC003 (cyclopts reads the types of flags)
from typing import Annotated, Literal

from cyclopts import Parameter

from bayplan.cli.gateway.endpoint_flags import EndpointFlags
from bayplan.cli.gateway.foreground import routing_config, run, say
from bayplan.cli.gateway.relay_flags import LimitFlags, Policy, PortFlags, RecordFlags, settings
from bayplan.cli.main import DEBUG
from bayplan.framework.errors import InputError
from bayplan.gateway.relay.process import serve, serve_worker
from bayplan.routing.router import Router
from bayplan.telemetry.log import LogForm, log_to_stderr


def relay(
    *,
    where: EndpointFlags | None = None,
    config: Annotated[
        Path | None,
        Parameter(help="An EndpointPickerConfig, or a SchedulerConfig of routing; read again when it changes."),
    ] = None,
    policy: Annotated[
        Policy,
        Parameter(help="Without a configuration: hold requests until an engine is free (late), or never (early)."),
    ] = "late",
    ports: PortFlags | None = None,
    limits: LimitFlags | None = None,
    records: RecordFlags | None = None,
    seed: Annotated[int, Parameter(help="Decides between endpoints that are equally good.")] = 0,
    log: Annotated[Literal["text", "json"], Parameter(help="Lines on stderr: for people, or JSON.")] = "text",
    worker_of: Annotated[Path | None, Parameter(show=False)] = None,
) -> None:
    """Serve the HTTP APIs of engines in front of a pool of them, until Ctrl-C.

    It prints `ready URL` once it serves. Requests go to the engine that the configuration, or our own policy, picks;
    bytes are passed on as they come. docs/relay.md says more.
    """
    ports, limits, records = ports or PortFlags(), limits or LimitFlags(), records or RecordFlags()
    told = settings(limits, records)
    if worker_of is not None:
        log_to_stderr(debug=DEBUG in os.environ, form=LogForm(log))
        run(serve_worker(worker_of, told, ports.ports(), say))
        return
    if ports.processes < 1:
        raise InputError(f"{ports.processes} is less than 1", place="--processes")
    decides = routing_config(config, policy)
    where = where or EndpointFlags()
    world = where.world(decides, config)
    parts = where.models(longest_wait_s=limits.model_wait_seconds, grpc_host=ports.host, grpc_port=ports.grpc_port)
    command = worker_command(ports, limits, log)
    log_to_stderr(debug=DEBUG in os.environ, form=LogForm(log))
    router = Router(decides, seed=seed)
    run(serve(router, world, told, ports.ports(), say, command, processes=ports.processes, parts=parts))


def worker_command(ports: PortFlags, limits: LimitFlags, log: str) -> list[str]:
    """The command of another relay process; the path of the owner's socket, `--port` and the port follow."""
    words = [sys.executable, "-m", "bayplan", "gateway", "relay", "--host", ports.host, "--log", log]
    for flag, file in (("--tls-cert", ports.tls_cert), ("--tls-key", ports.tls_key)):
        if file is not None:
            words += (flag, str(file))
    for each in fields(limits):
        words += (f"--{each.name.replace('_', '-')}", str(getattr(limits, each.name)))
    return [*words, "--worker-of"]
