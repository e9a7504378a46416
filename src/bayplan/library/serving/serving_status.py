"""The status of Models and Servers: what a cluster's bookings say of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.cluster.cluster import Cluster
from bayplan.library.planner import inventory_of
from bayplan.library.serving.serving_planner import serving_planner
from bayplan.manifests.serving.seldon_model import collect_seldon_model
from bayplan.manifests.serving.seldon_server import collect_seldon_server, collect_seldon_server_config
from bayplan.manifests.workloads.objects import Kind
from bayplan.serving.answers.status_document import model_status_document, server_status_document
from bayplan.serving.statuses.model_status import model_status
from bayplan.serving.statuses.server_status import ServerStatus, server_status

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bayplan.manifests.serving.seldon_server import SeldonServer
    from bayplan.manifests.workloads.objects import Object
    from bayplan.serving.planning.planner import Planner
    from bayplan.serving.served_model import ServedModel

KINDS = (Kind.SELDON_MODEL, Kind.SELDON_SERVER, Kind.SELDON_SERVER_CONFIG)


class ServingStatuses:
    """The Models and Servers among objects, read; their findings hold the problems."""

    def __init__(self, objects: Iterable[Object]) -> None:
        self._models: dict[int, ServedModel] = {}
        self._servers: dict[int, SeldonServer] = {}
        for each in objects:
            if each.kind is Kind.SELDON_MODEL:
                self._models[id(each.findings)] = collect_seldon_model(each.fields)
            elif each.kind is Kind.SELDON_SERVER:
                self._servers[id(each.findings)] = collect_seldon_server(each.fields)
            elif each.kind is Kind.SELDON_SERVER_CONFIG:
                collect_seldon_server_config(each.fields)

    def answers(self, cluster: Any) -> dict[int, dict[str, Any]]:
        """The documents by the identity of their objects' findings; models are planned one after the other."""
        if not self._models and not self._servers:
            return {}
        nouns = Cluster() if cluster is None else inventory_of(cluster).cluster
        planner = serving_planner(nouns)
        servers = {name: server_status(book) for name, book in planner.ledger.servers.items()}
        return {key: _server(each, servers) for key, each in self._servers.items()} | {
            key: _model(each, planner) for key, each in self._models.items()
        }


def _model(model: ServedModel, planner: Planner) -> dict[str, Any]:
    plan = planner.plan(model)
    document = model_status_document(model.key, model_status(plan))
    planner.book(plan)
    return document


def _server(server: SeldonServer, known: dict[str, ServerStatus]) -> dict[str, Any]:
    status = known.get(server.id.name) or ServerStatus(0, server.replicas.wanted)
    return server_status_document(server.id.key, status)
