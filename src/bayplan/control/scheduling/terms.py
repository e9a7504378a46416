"""The terms of the scheduler: each start has a larger number, and every bind carries the number of its term.

So a bind of a scheduler that was replaced can be told from those of its successor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.control.clock import moment_text
from bayplan.control.collections import LEASES
from bayplan.control.store import Key
from bayplan.control.store_errors import AlreadyExistsError, NotFoundError
from bayplan.manifests.marks import EPOCH

if TYPE_CHECKING:
    from bayplan.control.store import Object, Store

NAMESPACE, NAME = "kube-system", "bayplan-scheduler"


async def begin_term(store: Store, holder: str, now: float, after: int = 0) -> int:
    """Take the Lease of the scheduler; the number of the new term, which is on the disk before it is used.

    It is larger than `after`, also where the Lease was deleted or comes from an old backup.
    """
    key = Key(LEASES, NAMESPACE, NAME)

    def taken(lease: Object) -> Object:
        spec = lease.setdefault("spec", {})
        last = spec.get("leaseTransitions")
        spec["leaseTransitions"] = max(last if isinstance(last, int) else 0, after) + 1
        spec["holderIdentity"] = holder
        metadata = lease["metadata"]
        metadata["annotations"] = {**(metadata.get("annotations") or {}), EPOCH: str(spec["leaseTransitions"])}
        spec["acquireTime"] = spec["renewTime"] = moment_text(now).replace("Z", ".000000Z")
        return lease

    while True:
        try:
            stored = await store.patch(key, taken)
        except NotFoundError:
            document = {
                "apiVersion": "coordination.k8s.io/v1",
                "kind": "Lease",
                "metadata": {"name": NAME, "namespace": NAMESPACE},
                "spec": {},
            }
            try:
                stored = await store.create(LEASES, taken(document))
            except AlreadyExistsError:
                continue
        return int(stored.document()["spec"]["leaseTransitions"])
