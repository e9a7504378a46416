"""Everything that a call asks a place for, in order: workloads for workers, and models for servers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from bayplan.manifests.fields import raise_all
from bayplan.manifests.serving.seldon_model import collect_seldon_model
from bayplan.manifests.workloads.dialects import collect_workloads, ignored_warning, no_workload
from bayplan.manifests.workloads.objects import Kind, objects_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bayplan.manifests.native.workload import ReadWorkload
    from bayplan.manifests.reader import Document
    from bayplan.manifests.workloads.objects import Object
    from bayplan.manifests.workloads.priority_class import PriorityClass
    from bayplan.serving.served_model import ServedModel

Request: TypeAlias = "ReadWorkload | ReadModel"


@dataclass(frozen=True, slots=True)
class ReadModel:
    """A model for servers, the document that it stands in, and the warnings about it."""

    model: ServedModel
    document: Document
    warnings: tuple[str, ...] = ()

    def warned(self, *warnings: str) -> ReadModel:
        """The same with further warnings."""
        return replace(self, warnings=(*self.warnings, *warnings))


def read_requests(documents: Iterable[Document], classes: Sequence[PriorityClass] = ()) -> list[Request]:
    """The workloads and models; InputError with the first problem of any document and the number of all others.

    `classes` are the PriorityClasses of the cluster.
    """
    objects = list(objects_of(documents))
    models = {id(each.findings): _model(each) for each in objects if each.kind is Kind.SELDON_MODEL}
    others = [each for each in objects if each.kind is not Kind.SELDON_MODEL]
    workloads = collect_workloads(others, classes)
    raise_all([error for each in objects for error in each.findings.errors])
    places = {id(each.findings): number for number, each in enumerate(objects)}
    found: list[tuple[int, Request]] = [(places[key], model) for key, model in models.items()]
    found += [(places[id(each.findings)], each) for each in workloads]
    requests = [request for _, request in sorted(found, key=lambda each: each[0])]  # stable: several in one document
    if not requests:
        raise no_workload(objects)
    if not workloads and (warning := ignored_warning(others)):  # else the first workload tells
        requests[0] = requests[0].warned(warning)
    return requests


def read_models(objects: Iterable[Object]) -> list[ReadModel]:
    """The models among these objects; the findings of each object hold its problems."""
    return [_model(each) for each in objects if each.kind is Kind.SELDON_MODEL]


def _model(each: Object) -> ReadModel:
    model = collect_seldon_model(each.fields)
    return ReadModel(model, each.findings.document, tuple(dict.fromkeys(each.findings.warnings)))
