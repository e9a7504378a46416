"""`bayplan.rehearse`: what a sequence of events does to models on servers, step by step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bayplan.framework.errors import InputError
from bayplan.library.planner import inventory_of
from bayplan.library.serving.serving_planner import serving_planner
from bayplan.manifests.fields import Fields, Findings
from bayplan.manifests.paths import split
from bayplan.manifests.reader import Document
from bayplan.manifests.serving.rehearsal_step import read_step
from bayplan.manifests.values import what
from bayplan.serving.answers.rehearsal_document import step_document
from bayplan.serving.following.serving_state import ServingState

if TYPE_CHECKING:
    from collections.abc import Iterable


def rehearse(steps: Iterable[Any] | Document | Mapping[str, Any], cluster: Any) -> dict[str, Any]:
    """A Rehearsal: the bookings and the statuses of the applied models after each step. Nothing is carried out.

    A step is one of apply, delete, replica-up, replica-down, drain, loaded, load-failed, unloaded, unload-failed,
    infer, tick and settle with what it is about, or the same under `do`.
    """
    state = ServingState(serving_planner(inventory_of(cluster).cluster))
    answers = []
    for fields in _fields(steps):
        event = read_step(fields)
        try:
            served = event(state)
        except InputError as error:
            place = fields.findings.document.place((*fields.steps, *split(error.place)))
            raise InputError(error.message, place=place, next=error.next) from None
        answers.append(step_document(state, served))
    return {"kind": "Rehearsal", "steps": answers}


def _fields(steps: Any) -> list[Fields]:
    """The steps of a list, or of a document that lists them."""
    if isinstance(steps, Document | Mapping):
        document = steps if isinstance(steps, Document) else Document(steps, "rehearsal")
        whole = Fields(document.data, Findings(document))
        whole.ignore("apiVersion", "kind", "metadata", "cluster")
        found = whole.children("steps")
        whole.finish()
        whole.findings.check()
        return found
    if not isinstance(steps, list | tuple):
        raise InputError(f"{what(steps)} is no list of steps", place="steps", next="write [{apply: …}, {settle: {}}]")
    documents = [Document(each, f"steps[{number}]") for number, each in enumerate(steps)]
    return [Fields(each.data, Findings(each)) for each in documents]
