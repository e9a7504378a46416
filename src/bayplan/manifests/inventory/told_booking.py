"""The annotation in which Bayplan records all that a Pod holds on its worker."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import orjson

from bayplan.framework.errors import InputError
from bayplan.manifests.fields import Fields, Findings
from bayplan.manifests.json_text import read_json
from bayplan.manifests.limits import DOCUMENT
from bayplan.manifests.marks import BOOKING
from bayplan.manifests.native.booking import read_booking
from bayplan.manifests.native.cluster_writer import write_booking
from bayplan.manifests.reader import Document

if TYPE_CHECKING:
    from bayplan.cluster.booking import Booking

_OF_THE_POD = ("worker", "namespace")


def booking_text(booking: Booking) -> str:
    """The value of the annotation; worker and namespace are those of the Pod."""
    written = {key: value for key, value in write_booking(booking).items() if key not in _OF_THE_POD}
    return orjson.dumps(written).decode()


def told_booking(text: str, worker: str, namespace: str) -> Booking:
    """The booking of an annotation, on the worker of its Pod; InputError where it cannot be read."""
    return replace(_read(text), worker=worker, namespace=namespace)


@lru_cache(maxsize=65_536)
def _read(text: str) -> Booking:
    data = read_json(text.encode("utf-8", "surrogatepass"), BOOKING, DOCUMENT)
    if not isinstance(data, dict):
        raise InputError("is no booking", place=BOOKING, next="write a JSON object")
    findings = Findings(Document(_on(data), BOOKING))
    booking = read_booking(Fields(findings.document.data, findings))
    findings.check()
    if booking is None:
        raise InputError("is no booking", place=BOOKING, next="write workload, replica and gpus")
    return booking


def _on(data: dict[str, Any]) -> dict[str, Any]:
    return {**data, "worker": "worker"}  # the Pod says which one
