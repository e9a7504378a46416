"""Users who ask a running system for one thing after the other, and remember every question and its answer."""

import threading
from dataclasses import dataclass, field

from crash import wishes
from crash.served import PATCH, LostError
from crash.wishes import MARK, PATHS, REPLICAS

USERS = 3
MOST = 5  # objects of one user at a time, so that there is room for new ones
FORBIDDEN = "forbidden"
"""The mark of writes that must be refused."""


@dataclass
class Memory:
    """What was asked and answered, by (kind, name); the mark None stands for a deletion."""

    settled: dict = field(default_factory=dict)
    open: dict = field(default_factory=dict)
    """Questions that got no answer: the server may have done what they ask, or not."""
    versions: dict = field(default_factory=dict)
    """Which object an answered resourceVersion belongs to."""
    dismissed: set = field(default_factory=set)
    """Names of Pods whose deletion was asked for."""
    gone: set = field(default_factory=set)
    """Uids of Pods whose deletion was answered."""
    shrunk: set = field(default_factory=set)
    """Objects that were asked to have fewer replicas."""
    wrong: list = field(default_factory=list)
    accepted: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def count(self):
        with self._lock:
            self.accepted += 1


class User:
    """Touches objects of its own alone, one at a time: so at most one question of it is open when the server dies."""

    def __init__(self, name, memory, chance):
        self._name, self._memory, self._chance = name, memory, chance
        self._number = 0
        self._mine = {}  # (kind, name) -> replicas, or None where it cannot be scaled
        self._nodes = [f"w{each}" for each in range(len(wishes.CARDS)) if each % USERS == int(name[1:])]
        self._connection = None
        self.preempts_only = False

    def work(self, connection, stopped):
        """Until the server dies, or until `stopped`."""
        self._connection = connection
        try:
            while not stopped.is_set():
                self._one()
        except LostError:
            pass
        except Exception as error:
            self._memory.wrong.append(f"{self._name}: {type(error).__name__}: {error}")
        finally:
            connection.close()

    def learn(self, asked, found):
        """What became of open questions about these (kind, name); `found` are the documents that exist by the same."""
        for key in asked:
            kind, name = key
            if kind in ("Node", "Cluster", "AgentClass") or self._name not in name.split("-"):
                continue
            self._mine.pop(key, None)
            if key in found:
                self._mine[key] = wishes.replicas_of(found[key])

    def set_up(self, connection):
        """What everybody needs."""
        self._connection = connection
        for each in (wishes.cluster(), wishes.agent_class()):
            self._create(each)

    def _one(self):
        if self.preempts_only:
            self.overtake()
        elif len(self._mine) >= MOST:
            self.delete()
        else:
            makers = (self.work_load, self.gang, self.gang, self.group, self.pool, self.deployment, self.set, self.job)
            makers += (self.spanning,)
            others = (self.pod, self.scale, self.scale, self.scale, self.delete, self.dismiss, self.cordon)
            others += (self.overtake, self.taken, self.stale)
            self._chance.choice(makers + others)()

    def _fresh(self, word):
        self._number += 1
        return f"{word}-{self._name}-{self._number}"

    def _ask(self, kind, name, mark, method, body=None, media="application/json"):
        """Ask, and remember; the answer where it was accepted."""
        memory, key = self._memory, (kind, name)
        path = PATHS[kind] if method == "POST" else f"{PATHS[kind]}/{name}"
        memory.open[key] = mark
        code, answer = self._connection.ask(method, path, body, media)
        del memory.open[key]
        if code >= 500:
            memory.wrong.append(f"{method} {path}: {code} {answer}")
        if code >= 300:
            return None
        memory.count()
        memory.settled[key] = mark
        metadata = answer.get("metadata") or {}
        if "uid" in metadata and mark is not None:
            memory.versions[int(metadata["resourceVersion"])] = key
        return answer

    def _create(self, document, replicas=None):
        kind, name = document["kind"], document["metadata"]["name"]
        if self._ask(kind, name, document["metadata"]["annotations"][MARK], "POST", document):
            self._mine[kind, name] = replicas

    def _some(self, *kinds):
        found = [key for key in self._mine if key[0] in kinds]
        return self._chance.choice(found) if found else None

    def work_load(self):
        replicas, chance = self._chance.randint(1, 5), self._chance
        name = self._fresh("load")
        gpus, priority = chance.choice((1, 1, 2, 4)), chance.choice((0, 0, 5))
        self._create(wishes.workload(name, "0", replicas=replicas, gpus=gpus, priority=priority), replicas)

    def gang(self):
        replicas, chance = self._chance.randint(2, 5), self._chance
        gpus, preempts = chance.choice((1, 2, 4)), chance.random() < 0.3
        wish = wishes.workload(
            self._fresh("gang"), "0", replicas=replicas, gpus=gpus, priority=5 * preempts, gang=True, preempts=preempts
        )
        self._create(wish, replicas)

    def spanning(self):
        """Replicas with more cards than any worker has."""
        replicas = self._chance.randint(1, 2)
        wish = wishes.workload(self._fresh("span"), "0", replicas=replicas, gpus=10, priority=5, spans=True)
        self._create(wish, replicas)

    def group(self):
        """A PodGroup and its members, one write after the other."""
        name, members = self._fresh("group"), self._chance.randint(2, 4)
        self._create(wishes.pod_group(name, "0", self._chance.randint(2, members)))
        for number in range(members):
            self._create(wishes.pod(f"{name}-{number}", "0", group=name))

    def pool(self):
        replicas = self._chance.randint(1, 4)
        word = self._chance.choice(("pool", "together"))
        wish = wishes.agent_pool(self._fresh(word), "0", replicas=replicas, gang=word == "together")
        self._create(wish, replicas)

    def deployment(self):
        replicas = self._chance.randint(1, 3)
        self._create(wishes.deployment(self._fresh("deploy"), "0", replicas=replicas), replicas)

    def set(self):
        replicas = self._chance.randint(1, 3)
        self._create(wishes.stateful_set(self._fresh("set"), "0", replicas=replicas), replicas)

    def job(self):
        self._create(wishes.job(self._fresh("job"), "0", parallelism=2, completions=self._chance.randint(1, 3)))

    def pod(self):
        self._create(wishes.pod(self._fresh("pod"), "0", gpus=self._chance.choice((0, 1, 2)), ends=True))

    def overtake(self):
        """Work of low priority that fills the cluster, and work that takes its place."""
        self._create(wishes.workload(self._fresh("filler"), "0", replicas=10), 10)
        wish = wishes.workload(
            self._fresh("first"), "0", replicas=1, gpus=self._chance.choice((4, 8)), priority=10, preempts=True
        )
        self._create(wish, 1)
        if self.preempts_only:
            self.delete()

    def scale(self):
        if (key := self._some(*REPLICAS)) is None:
            return
        kind, name = key
        before, replicas = self._mine[key], self._chance.randint(0, 6)
        mark = self._fresh("mark")
        if kind == "AgentPool":
            replicas = max(1, replicas)
        spec = {REPLICAS[kind]: replicas}
        if name.startswith("together"):
            spec["scheduling"] = {"gangScheduling": {"minMembers": replicas}}
        if replicas < before:
            self._memory.shrunk.add(key)
        body = {"metadata": {"annotations": {MARK: mark}}, "spec": spec}
        if self._ask(kind, name, mark, "PATCH", body, PATCH):
            self._mine[key] = replicas

    def delete(self):
        kinds = [kind for kind in PATHS if kind not in ("Node", "Cluster", "AgentClass")]
        if (key := self._some(*kinds)) is None:
            return
        kind, name = key
        how = {"propagationPolicy": self._chance.choice(("Background", "Foreground"))}
        how |= {"gracePeriodSeconds": 0} if self._chance.random() < 0.2 else {}
        if kind == "Pod":
            self._memory.dismissed.add(name)
        self._ask(kind, name, None, "DELETE", how)
        del self._mine[key]

    def dismiss(self):
        """Delete a Pod that an object of this user has made: it is replaced."""
        _, found = self._connection.ask("GET", PATHS["Pod"])
        own = {name for _, name in self._mine}
        pods = [each["metadata"] for each in found["items"] if _owner(each) in own]
        if pods:
            pod, memory = self._chance.choice(pods), self._memory
            memory.dismissed.add(pod["name"])
            how = {"preconditions": {"uid": pod["uid"]}}
            how |= {"gracePeriodSeconds": 0} if self._chance.random() < 0.3 else {}
            code, answer = self._connection.ask("DELETE", f"{PATHS['Pod']}/{pod['name']}", how)
            if code == 200:
                memory.gone.add(pod["uid"])
                memory.count()
            elif code not in (404, 409):
                memory.wrong.append(f"DELETE of Pod {pod['name']}: {code} {answer}")

    def cordon(self):
        name, mark = self._chance.choice(self._nodes), self._fresh("mark")
        body = {
            "metadata": {"annotations": {MARK: mark}},
            "spec": {"unschedulable": self._chance.random() < 0.4},
        }
        self._ask("Node", name, mark, "PATCH", body, PATCH)

    def taken(self):
        """A name that exists: the write must be refused."""
        if (key := self._some("Workload")) is not None:
            self._refused("POST", key, wishes.workload(key[1], FORBIDDEN, replicas=1))

    def stale(self):
        """A write on an old version must be refused."""
        if (key := self._some("Workload")) is not None:
            wish = wishes.workload(key[1], FORBIDDEN, replicas=1)
            wish["metadata"]["resourceVersion"] = "1"
            self._refused("PUT", key, wish)

    def _refused(self, method, key, body):
        kind, name = key
        path = PATHS[kind] if method == "POST" else f"{PATHS[kind]}/{name}"
        code, answer = self._connection.ask(method, path, body)
        if code != 409:
            self._memory.wrong.append(f"{method} {path}: {code} instead of a conflict: {answer}")


def _owner(pod):
    owners = pod["metadata"].get("ownerReferences") or [{"name": ""}]
    return owners[0]["name"]
