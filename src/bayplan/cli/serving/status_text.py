"""Statuses of models and servers for people, with the columns that `kubectl get` has for them."""

from __future__ import annotations

from typing import Any

from bayplan.cli.output import Sheet
from bayplan.cli.text import workload_text

Statuses = list[dict[str, Any]]


def model_sheet(statuses: Statuses) -> Sheet:
    """A line for each model."""
    rows = [
        (
            workload_text(each),
            "True" if each["ready"] else "False",
            each["state"],
            str(each["desired"]),
            str(each["availableReplicas"]),
            each["scheduled"] or "-",
            each["reason"] or "-",
            (each["selector"] or "-").removeprefix("server="),
            ", ".join(f"{one['version']}: {one['state']}" for one in each["versions"]) or "-",
        )
        for each in statuses
    ]
    header = (
        "MODEL", "READY", "STATE", "DESIRED REPLICAS", "AVAILABLE REPLICAS", "SCHEDULED", "REASON", "SERVER",
        "OLDER VERSIONS",
    )  # fmt: skip
    return Sheet(header, rows, wide=1, spare=(("SCHEDULED",), ("SERVER",)))


def server_sheet(statuses: Statuses) -> Sheet:
    """A line for each server."""
    rows = [
        (
            each["workload"],
            "True" if each["ready"] else "False",
            str(each["replicas"]),
            str(each["expectedReplicas"]),
            str(each["loadedModels"]),
        )
        for each in statuses
    ]
    return Sheet(("SERVER", "READY", "REPLICAS", "EXPECTED", "LOADED MODELS"), rows)
