"""Documents of any dialect into workloads, in the order in which they are first mentioned."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.manifests.fields import Fields, Findings, raise_all
from bayplan.manifests.native.workload import ReadWorkload, collect_workload

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.framework.errors import InputError
    from bayplan.manifests.reader import Document


def read_workloads(documents: Sequence[Document]) -> list[ReadWorkload]:
    """The workloads; InputError with the first problem of any document and the number of all others."""
    found: list[ReadWorkload] = []
    errors: list[InputError] = []
    for document in documents:
        findings = Findings(document)
        workload = collect_workload(Fields(document.data, findings))
        errors += findings.errors
        found.append(ReadWorkload(workload, document, tuple(findings.warnings)))
    raise_all(errors)
    return found
