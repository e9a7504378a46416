"""What a store must hold after its process was killed, from the notes of the process: the answers bind the store.

Every answered write is there, no refused one, and one that was not answered is there as a whole or not at all. The
invariants hold: pairs of Pods that are bound together are gangs.
"""

import asyncio
import json
from collections import Counter, defaultdict
from contextlib import aclosing

from bayplan.control.store import Key
from bayplan.library.invariants.checks import check_invariants
from bayplan.stores.embedded import EmbeddedStore
from bayplan.stores.moment import objects_at_once
from bayplan.stores.sqlite.integrity import problems
from bayplan.stores.sqlite.sqlite_shelf import SqliteShelf
from crash.writer import GROUPS, MAPS, NODES, PODS


class Oracle:
    """The states that a folder may be in, over any number of kills."""

    def __init__(self, folder):
        self.folder = folder
        self.answered = 0
        self._values = {}
        self._counted = [0, 0]  # at least, at most
        self._ended = set()

    def judge(self, notes, history):
        """Compare the store with the notes of one process; the problems, and the facts become the new start."""
        wrong = [f"file: {each}" for each in problems(self.folder / "bayplan.db")]
        run = Run([json.loads(line) for line in notes.read_bytes().splitlines()])
        self.answered += len(run.revisions)
        found, told, objects = asyncio.run(_read(self.folder, history, run.start))
        wrong += self._wrong_values(run, found)
        wrong += self._wrong_count(run, found)
        wrong += self._wrong_families(run, found)
        wrong += _wrong_history(run, told)
        wrong += [
            f"{each['id']}: {text}" for each in check_invariants(objects)["invariants"] for text in each["violations"]
        ]
        return wrong + _wrong_pairs(objects)

    def _wrong_values(self, run, found):
        for values in run.settled:
            self._values |= values
        wrong = []
        for values in run.open:
            states = {"old": all(found.get(name) == self._values.get(name) for name in values)}
            states["new"] = all(found.get(name) == value for name, value in values.items())
            if not any(states.values()):
                wrong.append(f"{values}: neither as before nor as asked: {[found.get(name) for name in values]}")
            self._values |= {name: found.get(name) for name in values}
        for name, value in self._values.items():
            if name not in self._ended | run.ended and found.get(name) != value:
                wrong.append(f"{name}: holds {found.get(name)!r}, but {value!r} was answered")
        return wrong

    def _wrong_count(self, run, found):
        value = int(found.get("counter", "0"))  # the process may die before it makes the counter
        least = self._counted[0] + run.counted
        most = self._counted[1] + run.counted + run.counting
        self._counted = [value, value]
        return [] if least <= value <= most else [f"counter: {value} is not within {least} to {most}"]

    def _wrong_families(self, run, found):
        """An owner whose deletion was answered is gone with all it owned, also where the cascade was cut off."""
        self._ended |= run.ended
        wrong = [f"{name}: its deletion was answered" for name in run.ended_for_sure if name in found]
        return wrong + [f"{each}: has no owner" for each, owner in found["owners"].items() if owner not in found]


class Run:
    """The notes of one process, sorted."""

    def __init__(self, notes):
        answers = {note["id"]: note for note in notes if "revision" in note or "refused" in note}
        asked = [note for note in notes if "id" in note and note is not answers.get(note["id"])]
        self.start = next((note["start"] for note in notes if "start" in note), None)
        self.revisions = {}
        self.settled, self.open = [], []
        self.counted = self.counting = 0
        self.ended, self.ended_for_sure = set(), set()
        for note in asked:
            self._sort(note, answers.get(note["id"]))

    def _sort(self, note, answer):
        done = answer is not None and "revision" in answer
        if done:
            self.revisions[answer["revision"]] = note
        self.counted += done and "counts" in note
        self.counting += answer is None and "counts" in note
        if "ends" in note:
            self.ended.add(note["ends"])
            if done:
                self.ended_for_sure.add(note["ends"])
        if "sets" in note:
            if done:
                self.settled.append(note["sets"])
            elif answer is None and "forbidden" not in note["sets"].values():
                self.open.append(note["sets"])


async def _read(folder, history, since):
    """The objects after all cascades, and the changes since the process began."""
    async with EmbeddedStore(SqliteShelf(folder, history=history)) as store:
        told = await _changes(store, since) if since and history > 10_000 else None
        await asyncio.wait_for(store.settled(), 60)
        found, owners = {}, {}
        for each in (await store.list(MAPS)).items:
            document = each.document()
            name = document["metadata"]["name"]
            found[name] = document["data"]["value"]
            for reference in document["metadata"].get("ownerReferences", ()):
                owners[name] = reference["name"]
        for each in (await store.list(PODS)).items:
            document = each.document()
            found[document["metadata"]["name"]] = document["spec"].get("nodeName", "")
        objects = await objects_at_once(store, [NODES, PODS, GROUPS])
    return {**found, "owners": owners}, told, objects


async def _changes(store, since):
    """(revision, name) of every change of both collections, each in the order of the watch."""
    told = defaultdict(list)
    for collection in (MAPS, PODS):
        end = (await store.list(collection)).revision
        marker = await store.create(collection, _marker(collection))
        async with aclosing(store.watch(collection, since=since)) as watch:
            async for change in watch:
                if change.stored.revision >= marker.revision:
                    break
                if change.stored.revision <= end:
                    told[str(collection)].append((change.stored.revision, change.stored.document()["metadata"]["name"]))
        await store.delete(_key(collection, marker))
    return told


def _wrong_pairs(objects):
    """Half a gang: here no member ever goes, so that this is always wrong."""
    pods = [each for each in objects if each["kind"] == "Pod" and each["spec"].get("nodeName")]
    bound = Counter(each["metadata"]["labels"]["scheduling.x-k8s.io/pod-group"] for each in pods)
    return [f"I3: of gang {gang} {count} member is bound" for gang, count in bound.items() if count != 2]


def _marker(collection):
    kind = "Pod" if collection == PODS else "ConfigMap"
    return {"apiVersion": "v1", "kind": kind, "metadata": {"generateName": "marker-", "namespace": "default"}}


def _key(collection, stored):
    return Key(collection, "default", stored.document()["metadata"]["name"])


def _wrong_history(run, told):
    """Watches tell every answered write once and in order."""
    if told is None:
        return []
    wrong, heard = [], {}
    for collection, changes in told.items():
        revisions = [revision for revision, _ in changes]
        if revisions != sorted(set(revisions)):
            wrong.append(f"{collection}: changes are repeated or out of order")
        heard |= dict(changes)
    for revision, note in run.revisions.items():
        names = note.get("sets") or {"counter": 0}
        if "sets" in note and heard.get(revision) not in names:
            wrong.append(f"revision {revision}: answered for {list(names)}, but watches tell {heard.get(revision)}")
    return wrong
