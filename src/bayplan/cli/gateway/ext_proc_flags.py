"""The flags that `bayplan gateway ext-proc` and `bayplan gateway envoy` share, in groups."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path  # noqa: TC003 (cyclopts reads the types of flags)
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from bayplan.cli.gateway.relay_flags import Policy, RecordFlags
from bayplan.framework.errors import InputError
from bayplan.gateway.ext_proc.picker import PickerSettings
from bayplan.gateway.ext_proc.process import PickerPorts
from bayplan.gateway.relay.settings import MIB, Records

if TYPE_CHECKING:
    from bayplan.cli.gateway.endpoint_flags import EndpointFlags


PolicyFlag = Annotated[
    Policy,
    Parameter(help="Without a configuration: hold requests until an engine is free (late), or never (early)."),
]


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class PickerFlags:
    """What the picker decides by, and what it allows."""

    config: Annotated[
        Path | None,
        Parameter(help="An EndpointPickerConfig, or a SchedulerConfig of routing; read again when it changes."),
    ] = None
    policy: PolicyFlag = "early"
    seed: Annotated[int, Parameter(help="Decides between endpoints that are equally good.")] = 0
    body_mib: Annotated[int, Parameter(help="Largest body of a request, in MiB.")] = 32
    emit_endpoint_scores: Annotated[
        bool, Parameter(help="Tell gateways what each candidate was worth, in metadata.", negative=())
    ] = False
    drain_seconds: Annotated[float, Parameter(help="For requests to end after SIGTERM.")] = 8.0
    admin_port: Annotated[
        int | None, Parameter(help="The port for operators, on this machine alone: metrics, decisions, health.")
    ] = None

    def check(self) -> None:
        """Tell of flags that cannot be."""
        if self.body_mib < 1:
            raise InputError(f"{self.body_mib} is less than 1", place="--body-mib")
        if self.drain_seconds < 0:
            raise InputError(f"{self.drain_seconds} is less than 0", place="--drain-seconds")

    def settings(self, records: RecordFlags, *, asks_notes: bool) -> PickerSettings:
        """The picker's settings."""
        return PickerSettings(
            body_bytes=self.body_mib * MIB,
            tells_scores=self.emit_endpoint_scores,
            asks_notes=asks_notes,
            records=Records(every=records.decision_every, on_demand=records.decision_header),
            drain_s=self.drain_seconds,
        )


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class OwnEnvoyFlags(PickerFlags):
    """The same behind an Envoy of ours, which waits as long as it is asked to and tells first tokens."""

    policy: PolicyFlag = "late"


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class PickerPortFlags:
    """Where the picker listens."""

    host: Annotated[str, Parameter(help="The address to listen on.")] = "127.0.0.1"
    port: Annotated[int, Parameter(help="The port for gateways; 0 takes a free one.")] = 9002
    socket: Annotated[Path | None, Parameter(help="A socket in the file system to listen at, in place of a port.")] = (
        None
    )
    health_port: Annotated[
        int | None, Parameter(help="A second port for gRPC health alone, never encrypted, for probes.")
    ] = None
    tls_cert: Annotated[Path | None, Parameter(help="A certificate with its chain, PEM.")] = None
    tls_key: Annotated[Path | None, Parameter(help="Its key, PEM, unless it is in the same file.")] = None
    self_signed: Annotated[
        bool,
        Parameter(help="Encrypt with a certificate that is made now, for gateways that do not check it.", negative=()),
    ] = False

    def ports(self, admin_port: int | None, *, ends_with_stdin: bool) -> PickerPorts:
        return PickerPorts(
            self.host, self.port, self.socket, self.health_port, admin_port, self.tls_cert, self.tls_key,
            self.self_signed, ends_with_stdin,
        )  # fmt: skip


def words_of(flags: EndpointFlags | PickerFlags | RecordFlags) -> list[str]:
    """Flags as words of a command."""
    found = []
    for each in fields(flags):
        value = getattr(flags, each.name)
        name = f"--{each.name.replace('_', '-')}"
        if value is True:
            found.append(name)
        elif value is not None and value is not False and value != "":
            found += (name, str(value))
    return found
