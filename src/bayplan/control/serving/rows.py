"""A ServerReplica as it is stored, and what its bookings should be: the ledger row that compare-and-set is about."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bayplan.cluster.serving_booking import LoadState
from bayplan.control.collections import SERVER_REPLICAS
from bayplan.control.controllers.references import key_of
from bayplan.library.status.documents import number, part

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from bayplan.control.store import Key, Object
    from bayplan.serving.books.model_replica import ModelReplica

_REQUESTS = frozenset({LoadState.LOAD_REQUESTED, LoadState.UNLOAD_REQUESTED})
_OF_LOADING = (
    "storageUri", "modelType", "requirements", "parameters", "secretName", "explainer", "llm", "artifactVersion",
)  # fmt: skip


@dataclass(slots=True)
class Row:
    """`spec` is the stored one of `revision`; `numbers` says which bookings of the ledger its entries stand for."""

    key: Key
    uid: str
    revision: int
    spec: Object
    connected: bool = False
    numbers: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, document: Object) -> Row:
        metadata = document["metadata"]
        revision = int(metadata["resourceVersion"])
        return cls(key_of(SERVER_REPLICAS, document), metadata["uid"], revision, part(document, "spec"))

    @property
    def place(self) -> tuple[str, int]:
        return str(self.spec.get("server")), number(self.spec.get("index"))

    @property
    def entries(self) -> dict[str, Object]:
        """The bookings by name."""
        return {each["name"]: each for each in self.spec.get("models") or ()}

    def wanted(self, models: Iterable[ModelReplica], spec_of: Callable[[ModelReplica], Mapping[str, Any]]) -> Object:
        """The spec with these bookings; every new request to the server gets the next number."""
        old, requests = self.entries, number(self.spec.get("requests"))
        entries = []
        for each in models:
            name = entry_name(each)
            known = old.get(name)
            again = known is None or self.numbers.get(name) != each.number
            entry = _entry(each, name, spec_of(each) if known is None or again else known)
            if known is not None and not again and known.get("state") == each.state:
                entry["generation"] = known.get("generation")
            elif again or each.state in _REQUESTS:
                requests += 1
                entry["generation"] = requests
            elif known is not None:
                entry["generation"] = known.get("generation")
            entries.append(entry)
        return {**self.spec, "models": entries, "requests": requests}

    def take(self, document: Object, models: Iterable[ModelReplica]) -> None:
        """The row was written with these bookings."""
        self.revision = int(document["metadata"]["resourceVersion"])
        self.spec = part(document, "spec")
        self.numbers = {entry_name(each): each.number for each in models}


def entry_name(model: ModelReplica) -> str:
    """The name under which a server knows one version of a model."""
    return f"{model.key.name}_{model.version}"


def _entry(model: ModelReplica, name: str, source: Mapping[str, Any]) -> Object:
    loading = {key: source[key] for key in _OF_LOADING if source.get(key) is not None}
    return {
        "model": model.key.name,
        "version": model.version,
        "name": name,
        "memory": model.memory_mib,
        "state": model.state.value,
        "dedicated": model.dedicated,
        "instances": model.instances,
        **loading,
    }
