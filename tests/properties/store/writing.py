"""Rules that change objects: creations, updates, deletions of every kind, bindings, owners, restarts."""

import asyncio
from dataclasses import replace

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from bayplan.control.store import Binding, Deletion, Propagation
from bayplan.control.store_errors import (
    AlreadyExistsError,
    ForbiddenError,
    InvalidObjectError,
    NotFoundError,
    StaleError,
)
from properties.store.harness import COLLECTIONS, LONG, SHORT, Harness, document, references
from properties.store.model import FOREGROUND, HELD, NAMESPACES, ORPHAN, PODS, POOLS, Owner, Thing, Where, marked

SPACES = ("default", "one")
NAMES = "ab"
PLACES = [Where(kind, space, name) for kind in (POOLS, PODS) for space in SPACES for name in NAMES]
EVERYWHERE = [*PLACES, Where(NAMESPACES, "", "one")]
SELDOM = st.sampled_from([False, False, False, True])
OFTEN = st.sampled_from([True, True, True, False])
VALUES = st.integers(0, 2)
TIERS = st.sampled_from(["gold", "iron"])
PROPAGATIONS = st.sampled_from(list(Propagation))
HELDS = st.sampled_from([(), (), (HELD,), (HELD,), (ORPHAN,), (FOREGROUND,)])
GRACES = st.sampled_from([None, None, 0, 5, 30])


def with_list(latest, field, items):
    """The object with a list in its metadata; an empty one is left out, as clients do."""
    latest["metadata"].pop(field, None)
    if items:
        latest["metadata"][field] = list(items)
    return latest


class Writing(Harness):
    """What clients write."""

    def fill(self):
        """A few objects to begin with."""
        self.add_namespace((), "iron")
        for where in (PLACES[0], PLACES[1], PLACES[-1]):
            self.add(where, tier="gold")

    def pick(self, data, among=EVERYWHERE, *, there=True):
        """A place that is taken, or that is free, where there is one; seldom any other."""
        fitting = [each for each in among if (each in self.model.things) is there]
        return data.draw(st.sampled_from(among if not fitting or data.draw(SELDOM) else fitting))

    def pick_related(self, data):
        """A place whose object owns others or is owned, more often than any other."""
        related = [
            each
            for each, thing in self.model.things.items()
            if each in EVERYWHERE and (thing.owners or self.model.dependents(thing.uid) or self.model.inside(each.name))
        ]
        return data.draw(st.sampled_from(sorted(related))) if related and data.draw(OFTEN) else self.pick(data)

    def draw_owners(self, data, mine):
        """Up to two references; seldom such as lead nowhere: to another namespace, by another name, to nothing."""
        there = sorted(each for each in self.model.things if each != mine and each in EVERYWHERE)
        near = [each for each in there if each.namespace in ("", mine.namespace)]
        owners = []
        for _ in range(data.draw(st.sampled_from([0, 1, 1, 2]))):
            wrong = data.draw(st.sampled_from([*[""] * 8, "gone", "misnamed", "far"]))
            among = there if wrong == "far" else near
            if wrong == "gone" or not among:
                owners.append(Owner("long-gone", "a", data.draw(st.booleans())))
                continue
            where = data.draw(st.sampled_from(among))
            name = "misnamed" if wrong == "misnamed" else where.name
            owners.append(Owner(self.model.things[where].uid, name, data.draw(OFTEN)))
        return tuple({each.uid: each for each in owners}.values())

    def refused_creation(self, where):
        if where.namespace and self.model.is_open(where.namespace) is None:
            return NotFoundError
        if where.namespace and not self.model.is_open(where.namespace):
            return ForbiddenError
        return AlreadyExistsError if where in self.model.things else None

    @rule(data=st.data(), value=VALUES, tier=TIERS, finalizers=HELDS)
    def create(self, data, value, tier, finalizers):
        where = self.pick(data, PLACES, there=False)
        self.add(where, value, tier, finalizers=finalizers, owners=self.draw_owners(data, where))

    def add(self, where, value=0, tier="iron", *, finalizers=(), owners=()):
        given = document(where, value, tier, finalizers=finalizers, owners=owners)
        after = Thing("", value, tier, finalizers=finalizers, owners=owners)
        call = self.store.create(COLLECTIONS[where.kind], given)
        self.attempt(call, self.refused_creation(where), (where, after))

    @rule(
        data=st.data(),
        shape=st.sampled_from(["plain", "shared", "circle"]),
        blocks=OFTEN,
        finalizers=HELDS,
        end=st.none() | PROPAGATIONS,
    )
    def raise_a_family(self, data, shape, blocks, finalizers, end):
        """A new dependent of an object, which may have another owner too, or own the object in turn; then its end."""
        above = self.pick(data)
        free = [each for each in PLACES if each not in self.model.things and above.namespace in ("", each.namespace)]
        if above not in self.model.things or not free:
            return
        child = data.draw(st.sampled_from(free))
        owners = [self.reference(above, blocks)]
        others = [each for each in PLACES if each in self.model.things and each.namespace == child.namespace]
        if shape == "shared" and (others := [each for each in others if each != above]):
            owners.append(self.reference(data.draw(st.sampled_from(others)), data.draw(OFTEN)))
        self.add(child, finalizers=finalizers, owners=tuple(owners))
        if shape == "circle" and {above, child} <= self.model.things.keys() and above.namespace:
            self.own(above, (self.reference(child, data.draw(OFTEN)),))
        if end is not None:
            self.remove(above, Deletion(end))

    @rule(data=st.data(), graces=st.lists(st.sampled_from([None, 0, 5, 30]), min_size=1, max_size=3))
    def retire_a_pod(self, data, graces):
        """A Pod that has a node is given time; less time counts, more does not."""
        where = self.pick(data, [each for each in PLACES if each.kind == PODS and each.namespace == "default"])
        if where not in self.model.things:
            self.add(where)
        if not self.refused_binding(where, wrong=False):
            binding = Binding(where.namespace, where.name, "w")
            self.attempt(self.store.bind([binding]), None, (where, self.bound(where, "w")))
        for each in graces:
            self.remove(where, Deletion(grace_s=each))

    def reference(self, where, blocks):
        return Owner(self.model.things[where].uid, where.name, blocks)

    @rule(data=st.data(), finalizers=st.sampled_from([(), (HELD,)]), propagation=PROPAGATIONS)
    def end_a_namespace(self, data, finalizers, propagation):
        """A namespace with something in it is deleted."""
        self.attempt(self.store.delete(self.key(Where(NAMESPACES, "", "default"))), ForbiddenError)
        where, inside = Where(NAMESPACES, "", "one"), [each for each in PLACES if each.namespace == "one"]
        if where not in self.model.things:
            self.add_namespace((), "iron")
        child = self.pick(data, inside, there=False)
        self.add(child, finalizers=finalizers)
        self.remove(where, Deletion(propagation))

    @rule(finalizers=st.sampled_from([(), (), (HELD,)]), tier=TIERS)
    def create_namespace(self, finalizers, tier):
        self.add_namespace(finalizers, tier)

    def add_namespace(self, finalizers, tier):
        where = Where(NAMESPACES, "", "one")
        after = Thing("", 0, tier, status="Active", finalizers=finalizers, full=True)
        call = self.store.create(COLLECTIONS[NAMESPACES], document(where, 0, tier, finalizers=finalizers))
        self.attempt(call, self.refused_creation(where), (where, after))

    def refusal(self, where, *, stale=False):
        return NotFoundError if where not in self.model.things else StaleError if stale else None

    def change(self, where, change, after, *, error=None):
        """A patch that must make the object `after`, or make it go."""
        thing = self.model.things.get(where)
        if after is not None and after.deleting and not after.waits:
            after = None
        expected = [] if after == thing else [(where, after)]
        self.attempt(self.store.patch(self.key(where), change), error or self.refusal(where), *expected)

    @rule(data=st.data(), value=VALUES, tier=TIERS, stale=SELDOM)
    def update(self, data, value, tier, stale):
        where = self.pick(data, PLACES)
        thing = self.model.things.get(where)
        after = thing and replace(thing, value=value, tier=tier, generation=thing.generation + (value != thing.value))

        def change(latest):
            latest["spec"]["value"] = value
            latest["metadata"]["labels"]["tier"] = tier
            if stale:
                latest["metadata"]["resourceVersion"] = "1"
            return latest

        self.change(where, change, after, error=self.refusal(where, stale=stale))

    @rule(data=st.data(), value=VALUES)
    def report(self, data, value):
        where = self.pick(data, PLACES)
        thing = self.model.things.get(where)
        after = thing and replace(thing, status=value)
        expected = [] if after == thing else [(where, after)]

        def change(latest):
            status = {**latest.get("status", {}), "value": value}  # a binding has written a condition
            return {**document(where, 99, "gold"), "status": status}

        call = self.store.patch(self.key(where), change, subresource="status")
        self.attempt(call, self.refusal(where), *expected)

    @rule(data=st.data())
    def adopt(self, data):
        """Give an object other owners: it may be garbage then, also in a circle."""
        where = self.pick_related(data)
        if where.kind != NAMESPACES:
            thing = self.model.things.get(where)
            renamed = tuple(each._replace(name="misnamed") for each in thing.owners) if thing else ()
            self.own(where, renamed if renamed and data.draw(SELDOM) else self.draw_owners(data, where))

    def own(self, where, owners):
        def change(latest):
            return with_list(latest, "ownerReferences", references(owners))

        thing = self.model.things.get(where)
        self.change(where, change, thing and replace(thing, owners=owners))

    @rule(data=st.data(), every=SELDOM)
    def release(self, data, every):
        """Take finalizers away, seldom also those of deletions: an object that is being deleted may go."""
        held = sorted(each for each, thing in self.model.things.items() if thing.deleting and thing.finalizers)
        where = data.draw(st.sampled_from(held)) if held and data.draw(OFTEN) else self.pick(data)
        thing = self.model.things.get(where)
        left = thing and (thing.without(HELD, FOREGROUND, ORPHAN) if every else thing.without(HELD))

        def change(latest):
            return with_list(latest, "finalizers", left.finalizers)

        self.change(where, change, left)

    @rule(data=st.data())
    def hold(self, data):
        """A further finalizer: refused while the object is being deleted."""
        where = self.pick(data)
        thing = self.model.things.get(where)
        new = thing is not None and HELD not in thing.finalizers

        def change(latest):
            return with_list(latest, "finalizers", [*thing.finalizers, *([HELD] if new else [])])

        after = thing and replace(thing, finalizers=(*thing.finalizers, *([HELD] if new else [])))
        error = InvalidObjectError if new and thing.deleting else None
        self.change(where, change, thing if error else after, error=error)

    @rule(data=st.data(), propagation=PROPAGATIONS, wrong=SELDOM, dry_run=SELDOM, grace_s=GRACES)
    def delete(self, data, propagation, wrong, dry_run, grace_s):
        self.remove(
            self.pick_related(data), Deletion(propagation, grace_s, "another" if wrong else None), dry_run=dry_run
        )

    def remove(self, where, wish, *, dry_run=False):
        thing = self.model.things.get(where)
        after = thing and marked(where, thing, wish.propagation, wish.grace_s)
        expected = [] if dry_run or after == thing else [(where, after)]
        call = self.store.delete(self.key(where), wish, dry_run=dry_run)
        self.attempt(call, self.refusal(where, stale=wish.uid is not None), *expected)

    @rule(data=st.data(), worker=st.sampled_from(["w", "x"]), wrong=SELDOM)
    def bind(self, data, worker, wrong):
        """Several Pods get their workers together, or none does."""
        pods = [each for each in PLACES if each.kind == PODS]
        chosen = [self.pick(data, pods) for _ in range(data.draw(st.integers(1, 3)))]
        bindings = [Binding(each.namespace, each.name, worker, annotations={"a": "b"}) for each in chosen]
        if wrong:
            bindings[-1] = replace(bindings[-1], uid="another")
        errors = [self.refused_binding(each, wrong=wrong and each is chosen[-1]) for each in chosen]
        error = StaleError if len(set(chosen)) < len(chosen) else next(filter(None, errors), None)
        after = [self.bound(each, worker) for each in chosen]
        self.attempt(self.store.bind(bindings), error, *zip(chosen, after, strict=True))

    def refused_binding(self, where, *, wrong):
        thing = self.model.things.get(where)
        if thing is None:
            return NotFoundError
        return StaleError if wrong or thing.node or thing.deleting else None

    def bound(self, where, worker):
        thing = self.model.things.get(where)
        return thing and replace(thing, node=worker, generation=thing.generation + 1)

    @rule(data=st.data(), count=st.integers(2, 6))
    def race(self, data, count):
        """Creations at the same time: of each free name one succeeds."""
        chosen = [data.draw(st.sampled_from([each for each in PLACES if each.namespace == "default"]))] * 2
        chosen += [self.pick(data, PLACES, there=False) for _ in range(count - 2)]
        refused = [self.refused_creation(each) for each in chosen]
        free = list(dict.fromkeys(each for each, error in zip(chosen, refused, strict=True) if error is None))

        async def together():
            calls = (self.store.create(COLLECTIONS[each.kind], document(each)) for each in chosen)
            return await asyncio.gather(*calls, return_exceptions=True)

        done = self.run(together())
        assert sum(not isinstance(each, Exception) for each in done) == len(free)
        self.absorb([(each, Thing("")) for each in free])

    @precondition(lambda self: self.model.is_open("one"))
    @rule(places=st.lists(st.sampled_from([each for each in PLACES if each.namespace == "one"]), unique=True))
    def race_with_the_end_of_the_namespace(self, places):
        """Creations while their namespace is deleted: each is refused, or is deleted with it."""
        where = Where(NAMESPACES, "", "one")
        free = [each for each in places if each not in self.model.things]

        async def together():
            calls = [self.store.create(COLLECTIONS[each.kind], document(each)) for each in free]
            calls.insert(len(calls) // 2, self.store.delete(self.key(where)))
            return await asyncio.gather(*calls, return_exceptions=True)

        done = self.run(together())
        del done[len(free) // 2]
        made = [each for each, result in zip(free, done, strict=True) if not isinstance(result, Exception)]
        assert all(isinstance(each, ForbiddenError) for each in done if isinstance(each, Exception))
        half = [each for each in free[: len(free) // 2] if each in made]
        rest = [each for each in made if each not in half]
        after = marked(where, self.model.things[where], Propagation.BACKGROUND)
        self.absorb([*((each, Thing("")) for each in half), (where, after), *((each, Thing("")) for each in rest)])

    @rule(history=st.sampled_from([SHORT, LONG]))
    def restart(self, history):
        self.close()
        self.open(history)
        self.absorb([])

    @precondition(lambda self: self.history == LONG)
    @rule()
    def stop_after_the_next_write(self):
        """The process ends as soon as a write is answered: the next one goes on with what follows from it."""
        self.stops = True
