"""The flags of `bayplan gateway relay`, in groups: where it listens, what it allows, how long it waits."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path  # noqa: TC003 (cyclopts reads the types of flags)
from typing import Annotated, Literal

from cyclopts import Parameter

from bayplan.gateway.relay.process import Ports
from bayplan.gateway.relay.settings import MIB, Limits, Patience, Records, Retries, Settings


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class PortFlags:
    """Where the relay listens."""

    host: Annotated[str, Parameter(help="The address to listen on.")] = "127.0.0.1"
    port: Annotated[int, Parameter(help="The port for clients; 0 takes a free one.")] = 7080
    admin_port: Annotated[
        int, Parameter(help="The port for operators, on this machine alone: metrics, decisions, health; 0: a free one.")
    ] = 7081
    grpc_port: Annotated[
        int | None,
        Parameter(help="With --server: the port for V2 requests to models by gRPC, without TLS; 0: a free one."),
    ] = None
    tls_cert: Annotated[Path | None, Parameter(help="A certificate with its chain, PEM: clients use https.")] = None
    tls_key: Annotated[Path | None, Parameter(help="Its key, PEM, unless it is in the same file.")] = None
    processes: Annotated[int, Parameter(help="Relay processes at one port, with one account of requests.")] = 1

    def ports(self) -> Ports:
        return Ports(self.host, self.port, self.admin_port, self.tls_cert, self.tls_key)


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class LimitFlags:
    """What clients and engines are allowed; times are in seconds."""

    body_mib: Annotated[int, Parameter(help="Largest body of a request, in MiB.")] = 32
    connections: Annotated[int, Parameter(help="Connections of clients.")] = 20_000
    connect_seconds: Annotated[float, Parameter(help="For a connection to an engine.")] = 2.0
    first_byte_seconds: Annotated[float, Parameter(help="For the first byte of an engine's answer.")] = 600.0
    idle_seconds: Annotated[float, Parameter(help="Between two pieces of an engine's answer.")] = 120.0
    stall_seconds: Annotated[float, Parameter(help="For a client that reads nothing of its answer.")] = 60.0
    drain_seconds: Annotated[float, Parameter(help="For requests to end after SIGTERM.")] = 8.0
    model_wait_seconds: Annotated[
        float, Parameter(help="With --server: for a model that is being loaded, before a V2 request is refused.")
    ] = 30.0
    retries: Annotated[int, Parameter(help="Engines that are tried after one that failed.")] = 3


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class RecordFlags:
    """Which decisions are kept to be looked at."""

    decision_header: Annotated[
        bool, Parameter(help="Let clients ask for the record of a decision: x-bayplan-decision.", negative=())
    ] = False
    decision_every: Annotated[int, Parameter(help="Keep one of so many decisions, ten a second at most; 0: none.")] = (
        100
    )


Policy = Literal["early", "late"]


def settings(limits: LimitFlags, records: RecordFlags) -> Settings:
    """The relay's settings."""
    return Settings(
        Limits(body_bytes=limits.body_mib * MIB, connections=limits.connections),
        Patience(
            connect_s=limits.connect_seconds,
            first_byte_s=limits.first_byte_seconds,
            idle_s=limits.idle_seconds,
            stall_s=limits.stall_seconds,
            drain_s=limits.drain_seconds,
        ),
        Retries(most=limits.retries),
        Records(every=records.decision_every, on_demand=records.decision_header),
    )
