"""The life of every Pod, from the log of a store: what must never happen to one, also when its server is killed.

A Pod keeps its worker and its devices, a replica that serves goes on, and a Pod goes only for a reason.
"""

from dataclasses import dataclass, field

from bayplan.manifests.marks import BOOKING, DEVICES, EPOCH, PREEMPTED_BY, RECORD, REMOVED, SHARD

ENDED = ("Succeeded", "Failed")
_HELD = (BOOKING, DEVICES, EPOCH, RECORD)


@dataclass
class Life:
    """One Pod, by its uid."""

    name: str
    created: int
    owner: str
    labels: dict
    bound: int = 0
    """The revision at which it got its worker; 0: not yet."""
    over: int = 0
    """The revision at which it ended, or was told to go; 0: not yet."""
    node: str = ""
    held: dict = field(default_factory=dict)
    leaving: bool = False
    serves: bool = False
    restarts: int = 0


class PodLives:
    """Fed with versions in order; what is wrong is collected."""

    def __init__(self, memory, owners):
        self._memory, self._owners = memory, owners
        self.lives = {}
        self.bound_by = {}  # record -> lives, in the order of their revisions
        self._epoch = 0

    def feed(self, version):
        """The problems of one version of a Pod."""
        metadata, document = version.metadata, version.document
        owners = metadata.get("ownerReferences") or [{"uid": ""}]
        life = self.lives.setdefault(
            metadata["uid"], Life(version.name, version.revision, owners[0]["uid"], metadata.get("labels") or {})
        )
        found = [*self._place(life, version), *self._service(life, document), *self._end(life, version)]
        return [f"revision {version.revision}, Pod {version.name}: {each}" for each in found]

    def _place(self, life, version):
        node = version.document["spec"].get("nodeName", "")
        annotations = version.metadata.get("annotations") or {}
        held = {name: annotations.get(name) for name in _HELD}
        if life.bound:
            if node != life.node:
                yield f"was on {life.node}, now on {node!r}"
            if held != life.held:
                yield f"held {life.held}, now {held}"
        elif node:
            life.node, life.held, life.bound = node, held, version.revision
            self.bound_by.setdefault(held[RECORD], []).append(life)
            yield from self._epochs(int(held[EPOCH]))

    def _epochs(self, epoch):
        if epoch < self._epoch:
            yield f"is bound in epoch {epoch}, after a bind of epoch {self._epoch}"
        self._epoch = max(self._epoch, epoch)

    def _service(self, life, document):
        status = document.get("status") or {}
        conditions = {each["type"]: each["status"] for each in status.get("conditions") or ()}
        ready = conditions.get("Ready") == "True"
        if life.serves and not ready and not life.leaving and status.get("phase") not in ENDED:
            yield f"served, and does not any more: {conditions}"
        life.serves = ready
        restarts = sum(each.get("restartCount", 0) for each in status.get("containerStatuses") or ())
        if restarts != life.restarts:
            yield f"was restarted: {restarts} times, {life.restarts} before"
        life.restarts = restarts

    def _end(self, life, version):
        over = (version.document.get("status") or {}).get("phase") in ENDED
        if (over or version.goes) and not life.over:
            life.over = version.revision
        if version.goes and not life.leaving:
            life.leaving = True
            if not over and not self._has_reason(version):
                yield "goes without a reason"

    def _has_reason(self, version):
        annotations = version.metadata.get("annotations") or {}
        if PREEMPTED_BY in annotations or REMOVED in annotations or version.name in self._memory.dismissed:
            return True
        if SHARD in (version.metadata.get("labels") or {}) and not version.document["spec"].get("nodeName"):
            return True  # it was made for a decision that was given up
        return self._owners.has_reason(version.metadata, self._memory.shrunk)


class Owners:
    """Objects by uid, as far as Pods are concerned: whether they still are, and what they belong to."""

    def __init__(self):
        self._alive = {}  # uid -> (kind, name), references

    def feed(self, version):
        metadata = version.metadata
        if version.goes:
            self._alive.pop(metadata["uid"], None)
        else:
            self._alive[metadata["uid"]] = version.key, metadata.get("ownerReferences") or ()

    def has_reason(self, metadata, shrunk):
        """Whether an owner is gone or going, or was asked to have fewer replicas; also owners of owners.

        A Job makes one Pod too many where another one that was told to go succeeds after all.
        """
        return any(self._is_reason(each["uid"], shrunk) for each in metadata.get("ownerReferences") or ())

    def _is_reason(self, uid, shrunk):
        if uid not in self._alive:
            return True
        key, references = self._alive[uid]
        return key[0] == "Job" or key in shrunk or any(self._is_reason(each["uid"], shrunk) for each in references)
