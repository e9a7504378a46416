"""`bayplan.validate`: whether documents can be used, with every problem of each of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.framework.errors import ConfigError, InputError
from bayplan.library.documents import documents_of
from bayplan.library.registry import read_any_config
from bayplan.manifests.inventory.inventory import read_inventory
from bayplan.manifests.native.cluster import collect_cluster
from bayplan.manifests.native.metadata import read_id
from bayplan.manifests.paths import split
from bayplan.manifests.reader import Document
from bayplan.manifests.stored_kinds import COLLECT_STORED
from bayplan.manifests.workloads.dialects import collect_workloads
from bayplan.manifests.workloads.objects import INVENTORY, Kind, objects_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bayplan.library.documents import Given
    from bayplan.manifests.fields import Fields
    from bayplan.manifests.workloads.objects import Object

CONFIGURATIONS = (Kind.SCHEDULER_CONFIG, Kind.ENDPOINT_PICKER_CONFIG)
_NO_WORKLOADS = (Kind.CLUSTER, *CONFIGURATIONS, *COLLECT_STORED, *INVENTORY)


def validate(documents: Given | Iterable[Given]) -> dict[str, Any]:
    """`{valid, errors: [{place, message, next}], warnings}`: all errors of all documents at once."""
    objects = list(objects_of(documents_of(documents, "documents")))
    collect_workloads(each for each in objects if each.kind not in _NO_WORKLOADS)
    for each in objects:
        if each.kind in COLLECT_STORED:
            COLLECT_STORED[each.kind](each.fields)
        elif each.kind is Kind.CLUSTER:
            collect_cluster(each.fields)
        elif each.kind in CONFIGURATIONS:
            check_config(each.fields)
        elif each.kind in INVENTORY:
            _check_inventory(each.fields)
    errors = [error for each in objects for error in each.findings.errors]
    return {
        "valid": not errors,
        "errors": [{"place": each.place, "message": each.message, "next": each.next} for each in errors],
        "warnings": [*(warning for each in objects for warning in each.findings.warnings), *_not_read(objects)],
    }


def _not_read(objects: Iterable[Object]) -> tuple[str, ...]:
    """A warning that names the kinds that Bayplan does not read, because their documents were not checked."""
    kinds = dict.fromkeys(each.written[:64] for each in objects if each.kind is Kind.OTHER)
    return (f"documents of these kinds are not checked: {', '.join(kinds)}",) if kinds else ()


def check_config(fields: Fields) -> None:
    """Check a configuration with all plugins that are installed; an EndpointPickerConfig may be an object."""
    if fields.raw("kind") == Kind.ENDPOINT_PICKER_CONFIG and "metadata" in fields:
        read_id(fields)
    try:
        config = read_any_config(fields.data)
    except ConfigError as error:
        for problem in error.problems:
            fields.add(problem.message, *split(problem.place), next=problem.next)
        return
    for warning in config.warnings:
        fields.warn(warning.message, *split(warning.place), next=warning.next)


def _check_inventory(fields: Fields) -> None:
    """Check one object by itself; references between objects are checked where a whole cluster is read."""
    findings = fields.findings
    whole = findings.document
    alone = Document(fields.data, whole.place(fields.steps)) if fields.steps else whole
    try:
        findings.warnings += read_inventory([alone]).warnings
    except InputError as error:
        findings.errors.append(error)
