"""Pods that stand for the bookings of a Cluster: they hold what is booked, and nothing runs in them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import orjson

from bayplan.control.controllers.references import controlled_by
from bayplan.control.controllers.wish import digest_of, label_value
from bayplan.manifests.inventory.told_booking import booking_text
from bayplan.manifests.marks import BOOKING, DEVICES, WORKLOAD
from bayplan.manifests.native.cluster_writer import write_booking

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.cluster.booking import Booking
    from bayplan.control.store import Object

_NOT_IN_NAMES = re.compile(r"[^a-z0-9]+")
_LONGEST = 40  # characters of the workload's name in that of a Pod; the rest is told by its label and booking


def placeholder(cluster: Mapping[str, Any], booking: Booking, number: int, now: str) -> Object:
    """The Pod of a booking. Its name follows from all that it says, so a booking that changes gets another Pod.

    `number` tells equal bookings of one replica apart.
    """
    text = booking_text(booking)
    digest = digest_of([text, booking.worker, number])
    word = _NOT_IN_NAMES.sub("-", booking.workload.lower())[:_LONGEST].strip("-") or "booking"
    container = {"name": "booked", "image": "none"}
    ready = {"status": "True", "lastTransitionTime": now, "reason": "Declared"}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": f"{word}-{booking.replica}-{digest}",
            "namespace": booking.namespace,
            "labels": {WORKLOAD: label_value(booking.workload)},
            "annotations": {
                BOOKING: text,
                DEVICES: orjson.dumps(write_booking(booking).get("gpus", [])).decode(),
            },
            "ownerReferences": controlled_by(cluster),
        },
        "spec": {
            "nodeName": booking.worker,
            "schedulerName": "bayplan",
            "restartPolicy": "Always",
            "terminationGracePeriodSeconds": 0,
            "containers": [container],
            **({"priority": booking.priority} if booking.priority else {}),
        },
        "status": {
            "phase": "Running",
            "startTime": now,
            "conditions": [{"type": each, **ready} for each in ("PodScheduled", "Ready")],
            "containerStatuses": [
                {**container, "ready": True, "restartCount": 0, "imageID": "", "state": {"running": {"startedAt": now}}}
            ],
        },
    }
