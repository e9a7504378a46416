"""I3 at every moment: each decision leaves its gang with at least the minimum, or binds nothing of it.

A gang may have fewer members later: one was deleted, ended or preempted, or its owner wants more of them now. So each
bind is judged when it happens. Its decision was made after the youngest of its Pods appeared; what counts is any
minimum that the owner said since then, and every member that had a place since then and was not told to go before.
"""

from crash.wishes import GROUP_LABEL


def minimum_of(document):
    """The least number of members; None for what is no gang."""
    spec = document.get("spec") or {}
    if document["kind"] == "PodGroup":
        return spec["minMember"]
    if document["kind"] == "Workload" and "gang" in spec:
        return spec["gang"].get("minimum", spec["replicas"])
    together = (spec.get("scheduling") or {}).get("gangScheduling") or {}
    return together["minMembers"] if document["kind"] == "AgentPool" and together.get("enabled") else None


class Gangs:
    """Fed with versions of objects that may be gangs, in order."""

    def __init__(self):
        self._minimums = {}  # uid -> [(revision, minimum), …]; None: no gang, or gone
        self._groups = {}  # name of a PodGroup -> uid

    def feed(self, version):
        uid = version.metadata["uid"]
        least = None if version.goes else minimum_of(version.document)
        self._minimums.setdefault(uid, []).append((version.revision, least))
        if version.document["kind"] == "PodGroup":
            self._groups[version.name] = uid

    def _gang_of(self, life):
        return self._groups.get(life.labels.get(GROUP_LABEL)) or life.owner

    def _least(self, uid, since, until):
        """The smallest minimum in effect between two revisions; None where there was none at some moment."""
        said = self._minimums.get(uid, [])
        before = [each for each in said if each[0] <= since][-1:] or [(since, None)]
        within = [each for each in said if since < each[0] <= until]
        values = [value for _, value in (*before, *within)]
        return None if None in values else min(values)

    def wrong(self, lives, bound_by, since):
        """Decisions after a revision that left a gang incomplete."""
        members = {}
        for life in lives:
            if life.bound:
                members.setdefault(self._gang_of(life), []).append(life)
        for record, together in bound_by.items():
            end = max(life.bound for life in together)
            if end <= since:
                continue
            begin = max(life.created for life in together)
            gang = self._gang_of(together[0])
            least = self._least(gang, begin, end)
            held = [each for each in members[gang] if each.bound <= end and not 0 < each.over < begin]
            if least is not None and len(held) < least:
                names = ", ".join(each.name for each in together)
                yield f"I3: decision {record} binds {names}: {len(held)} members are bound, {least} are needed"
