"""`bayplan gateway ext-proc`: the endpoint picker of a gateway that speaks Envoy's external processing."""

from __future__ import annotations

import os
from pathlib import Path  # noqa: TC003 (cyclopts reads the types of flags)
from typing import Annotated, Literal

from cyclopts import Parameter

from bayplan.cli.gateway.endpoint_flags import EndpointFlags
from bayplan.cli.gateway.ext_proc_flags import PickerFlags, PickerPortFlags
from bayplan.cli.gateway.foreground import routing_config, run, say
from bayplan.cli.gateway.relay_flags import RecordFlags
from bayplan.cli.main import DEBUG
from bayplan.gateway.envoy.endpoints_file import EndpointsFile
from bayplan.gateway.ext_proc.process import serve
from bayplan.routing.router import Router
from bayplan.telemetry.log import LogForm, log_to_stderr


def ext_proc(
    *,
    where: EndpointFlags | None = None,
    picker: PickerFlags | None = None,
    ports: PickerPortFlags | None = None,
    records: RecordFlags | None = None,
    envoy_endpoints: Annotated[
        Path | None, Parameter(help="A file to keep the endpoints in, as Envoy reads them (EDS).")
    ] = None,
    log: Annotated[Literal["text", "json"], Parameter(help="Lines on stderr: for people, or JSON.")] = "text",
    ends_with_stdin: Annotated[bool, Parameter(show=False, negative=())] = False,
    ask_notes: Annotated[bool, Parameter(show=False, negative=())] = False,
) -> None:
    """Tell a gateway which engine gets each request, until Ctrl-C.

    Any gateway of the Gateway API Inference Extension can ask it. It prints `ready ADDRESS` once it serves.
    docs/envoy.md says how gateways are set up.
    """
    picker, ports = picker or PickerFlags(), ports or PickerPortFlags()
    picker.check()
    log_to_stderr(debug=DEBUG in os.environ, form=LogForm(log))
    config = routing_config(picker.config, picker.policy)
    world = (where or EndpointFlags()).world(config, picker.config)
    router = Router(config, seed=picker.seed)
    file = None if envoy_endpoints is None else EndpointsFile(envoy_endpoints)
    told = ports.ports(picker.admin_port, ends_with_stdin=ends_with_stdin)
    settings = picker.settings(records or RecordFlags(), asks_notes=ask_notes)
    run(serve(router, world, settings, told, say, None if file is None else file.write))
