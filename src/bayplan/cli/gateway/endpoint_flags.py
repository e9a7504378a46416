"""The flags that say where the endpoints of a data plane come from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path  # noqa: TC003 (cyclopts reads the types of flags)
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from bayplan.cli.server.location import locate
from bayplan.framework.errors import InputError
from bayplan.gateway.models.models_of_server import ModelsOfServer
from bayplan.gateway.relay.world import Discovery, EndpointsOfFile, EndpointsOfServer, World

if TYPE_CHECKING:
    from bayplan.routing.config.routing_config import RoutingConfig


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class EndpointFlags:
    """Where the endpoints come from: a file, a server, or the configuration."""

    endpoints: Annotated[
        Path | None, Parameter(help="A file with the endpoints; it is read again when it changes.")
    ] = None
    server: Annotated[str | None, Parameter(help="A server whose Pods are the endpoints: its URL or a kubeconfig.")] = (
        None
    )
    pool: Annotated[str, Parameter(help="With --server: the InferencePool whose Pods they are.")] = ""
    workload: Annotated[str, Parameter(help="With --server: the workload whose replicas they are; all by default.")] = (
        ""
    )
    namespace: Annotated[str, Parameter(name=("--namespace", "-n"), help="With --server: their namespace.")] = "default"

    def world(self, config: RoutingConfig, config_file: Path | None) -> World:
        """What the data plane is told; flags that name no endpoints at all are an error."""
        found: list[Discovery] = []
        if self.endpoints is not None:
            found.append(EndpointsOfFile(self.endpoints))
        if self.server is not None:
            self._address()  # what is wrong with it is told at once
            found.append(
                EndpointsOfServer(self._address, pool=self.pool, workload=self.workload, namespace=self.namespace)
            )
        elif self.pool or self.workload:
            raise InputError("they are objects of a server", place="--pool", next="name it: --server URL", code="usage")
        if not found and config.discovery is None:
            following = "name a file with endpoints: [{name, address, port}], or --server URL"
            raise InputError("there are no endpoints", place="--endpoints", next=following, code="usage")
        return World(found, config, config_file=config_file)

    def models(self, *, longest_wait_s: float, grpc_host: str, grpc_port: int | None) -> list[ModelsOfServer]:
        """The models that the server's model servers hold; without a server there are none."""
        if self.server is None:
            if grpc_port is not None:
                raise InputError(
                    "models are objects of a server", place="--grpc-port", next="name it: --server URL", code="usage"
                )
            return []
        found = ModelsOfServer(
            self._address, namespace=self.namespace, longest_wait_s=longest_wait_s, grpc_host=grpc_host,
            grpc_port=grpc_port,
        )  # fmt: skip
        return [found]

    def _address(self) -> tuple[str, str, str]:
        found = locate(self.server, None)
        return found.url, found.authority, found.token
