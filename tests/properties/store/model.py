"""A plain model of a store: what is stored, what was stored, and what deletions bring about."""

from dataclasses import dataclass, field, replace
from typing import NamedTuple

FOREGROUND, ORPHAN, HELD = "foregroundDeletion", "orphan", "a/x"
POOLS, PODS, NAMESPACES = "pools", "pods", "namespaces"


class Where(NamedTuple):
    """The key of an object."""

    kind: str
    namespace: str
    name: str


class Owner(NamedTuple):
    """A reference to an owner, which waits for the object where it `blocks`."""

    uid: str
    name: str
    blocks: bool = False


@dataclass(frozen=True)
class Thing:
    """What the model knows of an object; `full` is a namespace that waits until it is empty."""

    uid: str
    value: int = 0
    tier: str = "iron"
    status: object = None
    generation: int = 1
    finalizers: tuple = ()
    deleting: bool = False
    grace_s: int | None = None
    owners: tuple = ()
    node: str = ""
    full: bool = False

    def chosen(self, selection):
        return selection is None or self.tier == "gold"

    @property
    def waits(self):
        """Whether an object that is being deleted must stay."""
        return bool(self.finalizers or self.grace_s or self.full)

    def without(self, *finalizers):
        return replace(self, finalizers=tuple(each for each in self.finalizers if each not in finalizers))


def marked(where, thing, propagation, grace_s=None):
    """The object after a deletion; None where it goes at once. A Pod that has a node is given 30 s by default."""
    kept = thing.without(FOREGROUND, ORPHAN).finalizers
    kept += {"Foreground": (FOREGROUND,), "Orphan": (ORPHAN,)}.get(str(propagation), ())
    grace_s = (30 if grace_s is None else grace_s) if where.kind == PODS and thing.node else 0
    left = grace_s if thing.grace_s is None else min(grace_s, thing.grace_s)
    after = replace(thing, finalizers=kept, deleting=True, grace_s=left)
    if not thing.deleting:
        after = replace(after, generation=thing.generation + 1)
    if where.kind == NAMESPACES:
        after = replace(after, status="Terminating")
    return after if after.waits else None


@dataclass
class Model:
    """Every state that was ever stored, by its revision."""

    revision: int
    things: dict = field(default_factory=dict)
    past: dict = field(default_factory=dict)
    log: list = field(default_factory=list)

    def note(self, revision, kind, where, after):
        """A change as the store told it: revisions grow one by one."""
        assert revision == self.revision + 1
        self.revision = revision
        before = self.things.get(where)
        self.log.append((revision, where, before, after))
        if after is None:
            assert kind == "DELETED"
            del self.things[where]
        else:
            assert kind == ("MODIFIED" if before else "ADDED")
            self.things[where] = after
        self.past[revision] = dict(self.things)

    def told(self, kind, namespace, selection, since):
        """What a watch from a revision on must say."""
        for revision, where, before, after in self.log:
            if revision <= since or where.kind != kind or namespace not in ("", where.namespace):
                continue
            was = before is not None and before.chosen(selection)
            now = after is not None and after.chosen(selection)
            if was or now:
                change = ("MODIFIED" if was else "ADDED") if now else "DELETED"
                yield revision, change, where.name, (after if now else before).value

    def listed(self, kind, namespace, selection, revision):
        """What a list at a revision must show."""
        state = self.past[revision]
        fitting = (each for each in state if each.kind == kind and namespace in ("", each.namespace))
        return [(each.name, state[each]) for each in sorted(fitting) if state[each].chosen(selection)]

    # What deletions bring about. Steps of cascades come in any order: each must be allowed when it is told,
    # and when all is quiet none may be left to do.

    def dependents(self, uid):
        return {where: each for where, each in self.things.items() if uid in [owner.uid for owner in each.owners]}

    def is_open(self, namespace):
        thing = self.things.get(Where(NAMESPACES, "", namespace))
        return None if thing is None else not thing.deleting

    def state_of(self, where, owner):
        """Whether an owner is there, gone, or waits for what it owns."""
        found = [(at, each) for at, each in self.things.items() if each.uid == owner.uid]
        if not found or found[0][0].name != owner.name or found[0][0].namespace not in ("", where.namespace):
            return "gone"
        thing = found[0][1]
        return "waiting" if thing.deleting and FOREGROUND in thing.finalizers else "present"

    def states(self, where):
        return [self.state_of(where, owner) for owner in self.things[where].owners]

    def is_orphaning(self, owner):
        return any(
            each.uid == owner.uid and each.deleting and ORPHAN in each.finalizers for each in self.things.values()
        )

    def blockers(self, thing):
        """The dependents for which an object waits."""
        return [
            each
            for each in self.dependents(thing.uid).values()
            if any(owner.uid == thing.uid and owner.blocks for owner in each.owners)
        ]

    def is_blocked(self, thing):
        """Whether it waits for something that does not wait for it in turn, and for nothing else."""
        return not all(self._waits_for(each, thing, set()) for each in self.blockers(thing))

    def _waits_for(self, thing, other, seen):
        if not thing.deleting or thing.finalizers != (FOREGROUND,) or thing.grace_s or thing.uid in seen:
            return False
        return any(
            each.uid == other.uid or self._waits_for(each, other, {*seen, thing.uid}) for each in self.blockers(thing)
        )

    def inside(self, namespace):
        return [each for where, each in self.things.items() if where.namespace == namespace]

    def allowed(self, where):
        """The states into which a cascade may bring an object now; None is gone."""
        thing = self.things[where]
        yield from self._released(where, thing)
        yield from self._disowned(where, thing)
        if thing.deleting:
            return
        ends = where.namespace and self.is_open(where.namespace) is False
        lost = thing.owners and "present" not in self.states(where)
        if ends or lost:
            yield marked(where, thing, "Background")
        if lost:
            own = [name for name, each in (("Orphan", ORPHAN), ("Foreground", FOREGROUND)) if each in thing.finalizers]
            yield from (marked(where, thing, each) for each in ("Foreground", *own))

    def _released(self, where, thing):
        """Something that is being deleted no longer waits for what it owns, or for what is in it."""
        if not thing.deleting:
            return
        if ORPHAN in thing.finalizers and not self.dependents(thing.uid):
            yield self._left(thing.without(ORPHAN))
        if FOREGROUND in thing.finalizers and not self.is_blocked(thing):
            yield self._left(thing.without(FOREGROUND))
        if where.kind == NAMESPACES and thing.full and not self.inside(where.name):
            yield self._left(replace(thing, full=False, generation=thing.generation + 1))

    def _left(self, thing):
        return thing if thing.waits else None

    def _disowned(self, where, thing):
        """References to owners that are gone, wait, or let go are dropped, some or all."""
        lost = [
            number
            for number, owner in enumerate(thing.owners)
            if self.is_orphaning(owner) or (not thing.deleting and self.state_of(where, owner) != "present")
        ]
        for dropped in range(1, 1 << len(lost)):
            gone = {number for place, number in enumerate(lost) if dropped >> place & 1}
            yield replace(thing, owners=tuple(each for number, each in enumerate(thing.owners) if number not in gone))

    def undone(self):
        """The objects that a store at rest must not hold like this."""
        for where, thing in self.things.items():
            ends = where.namespace and self.is_open(where.namespace) is False and self._empties(where.namespace)
            if thing.deleting:
                if any(True for _ in self._released(where, thing)) and not self._waits_first(thing):
                    yield where
            elif ends or {"gone", "waiting"} & set(self.states(where)):
                yield where

    def _waits_first(self, thing):
        """A namespace looks at what is in it after it waited for what it owns."""
        return thing.full and FOREGROUND in thing.finalizers and self.is_blocked(thing)

    def _empties(self, namespace):
        thing = self.things[Where(NAMESPACES, "", namespace)]
        return FOREGROUND not in thing.finalizers and ORPHAN not in thing.finalizers
