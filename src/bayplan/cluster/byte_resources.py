"""Resources of Kubernetes that are counted in bytes: amounts are MiB here, and many clusters do not state them."""

from __future__ import annotations

STORAGE = "ephemeral-storage"
HUGE_PAGES = "hugepages-"


def is_in_bytes(resource: str) -> bool:
    """Whether amounts of the resource are MiB; of all others they are numbers of things."""
    return resource == STORAGE or resource.startswith(HUGE_PAGES)
