"""What a data folder must hold after its server was killed, from the answers that users got and from its own log."""

from bayplan.library.invariants.checks import check_invariants
from bayplan.library.invariants.stored_objects import KINDS
from crash.gangs import Gangs
from crash.pod_lives import Owners, PodLives
from crash.users import FORBIDDEN
from crash.wishes import MARK

JUDGED = ("I1", "I2", "I4", "I7", "I13")
"""Invariants of one moment. Whether gangs are whole is judged bind by bind, and I5 over all moments."""


class SystemOracle:
    """Follows one folder over any number of kills."""

    def __init__(self, memory):
        self._memory = memory
        self._revision = 0
        self._owners, self._gangs = Owners(), Gangs()
        self._pods = PodLives(memory, self._owners)
        self._marks = {}  # (kind, name) -> the mark of the newest version; None: gone or going

    def judge(self, copy):
        """Compare what is there with what was answered; the problems, and the facts become the new start."""
        wrong = [f"file: {each}" for each in copy.problems()]
        before, seen = self._revision, {}
        for version in copy.versions(before):
            if version.revision != self._revision + 1:
                wrong.append(f"revision {version.revision}: comes after {self._revision}")
            self._revision = version.revision
            seen[version.revision] = version.key
            wrong += self._feed(version)
        wrong += self._gangs.wrong(self._pods.lives.values(), self._pods.bound_by, before)
        wrong += self._wrong_answers(seen)
        wrong += self._wrong_marks()
        wrong += broken(check_invariants([each for each in copy.objects() if each["kind"] in KINDS]))
        return wrong

    def _feed(self, version):
        kind, metadata = version.document["kind"], version.metadata
        mark = (metadata.get("annotations") or {}).get(MARK)
        if mark is not None:
            self._marks[version.key] = None if version.goes else mark
        if mark == FORBIDDEN:
            yield f"revision {version.revision}, {kind} {version.name}: was refused, and is there"
        if kind == "Pod":
            yield from self._pods.feed(version)
        else:
            self._gangs.feed(version)
        self._owners.feed(version)

    def _wrong_answers(self, seen):
        """An answered version is the one that the log has."""
        answered, self._memory.versions = self._memory.versions, {}
        for revision, key in answered.items():
            if seen.get(revision) != key:
                yield f"revision {revision}: was answered for {key}, the log has {seen.get(revision)}"

    def _wrong_marks(self):
        memory = self._memory
        for key, mark in memory.settled.items():
            found = self._marks.get(key)
            if key in memory.open:
                if found not in (mark, memory.open[key]):
                    yield f"{key}: has mark {found}, but {mark} was answered, and {memory.open[key]} asked for"
            elif found != mark and not (key[0] == "Pod" and found is None):  # PodLives knows why Pods go
                yield f"{key}: has mark {found}, but {mark} was answered"
        for key, mark in memory.open.items():
            found = self._marks.get(key)
            if key not in memory.settled and found not in (None, mark):
                yield f"{key}: has mark {found}, and {mark} was asked for"
        for uid in memory.gone:
            life = self._pods.lives.get(uid)
            if life is None or not life.leaving:
                yield f"Pod {uid}: its deletion was answered, and it is there"

    def resolve(self):
        """Open questions are settled by what is there; the (kind, name) that they are about."""
        memory = self._memory
        asked = set(memory.open)
        for key in asked:
            memory.settled[key] = self._marks.get(key)
        memory.open.clear()
        return asked


def broken(found, judged=JUDGED):
    """The violations in a diagnosis."""
    return [
        f"{each['id']}: {text}" for each in found["invariants"] if each["id"] in judged for text in each["violations"]
    ]
