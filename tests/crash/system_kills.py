"""Kill a running system again and again while users work with it, at random moments and at failpoints, and judge it."""

import random
import threading
import time
from dataclasses import dataclass

from crash.live_checks import check_quiet, check_start
from crash.served import LostError, Nursery
from crash.system_oracle import SystemOracle
from crash.timeline import Copy, is_going
from crash.users import USERS, Memory, User

PASSED = (
    "store-queued",
    "store-begun",
    "store-checked",
    "store-written",
    "store-committed",
    "store-published",
    "store-answered",
    "scheduler-reserved",
    "scheduler-bound",
    "scheduler-preempting",
)
"""The failpoints that a running system passes while users work."""

WRITES = 20  # accepted between two kills, at the least
FOLDERS = 10  # kills that one data folder survives before the next begins
QUIET = 5  # every so many kills, the system is left alone until nothing happens any more
EARLY = 0.25  # part of the starts that are cut off by a further kill
LONGEST_S = 20.0  # for the writes, and then for the failpoint


@dataclass(frozen=True)
class Kill:
    """When the server dies: at a failpoint, or some time after enough writes were accepted."""

    failpoint: str = ""
    passes: int = 1
    after_s: float = 0.0

    @property
    def armed(self):
        return f"{self.failpoint}:{self.passes}" if self.failpoint else ""

    def __str__(self):
        return self.armed or f"{1000 * self.after_s:.0f} ms after its writes"


class SystemKills:
    """Runs kills; `wrong` are the problems, `reached` the failpoints at which a server died."""

    def __init__(self, folder, seed, tell=lambda _: None):
        self._folder, self._tell = folder, tell
        self._chance = random.Random(seed)  # noqa: S311
        self._points = []
        self._data = None
        self._since_folder = 0
        self.wrong, self.reached = [], set()
        self.accepted = 0

    def run(self, kills):
        with Nursery(self._folder) as nursery:
            for number in range(kills):
                if number % FOLDERS == 0:
                    self._begin(number)
                kill = self._next_kill(number)
                begun, before = time.monotonic(), len(self.wrong)
                writes = self._one(nursery, kill, quiet=number % QUIET == QUIET - 1)
                took = time.monotonic() - begun
                self.wrong[before:] = [f"kill {number + 1} ({kill}): {each}" for each in self.wrong[before:]]
                self._tell(
                    f"kill {number + 1} of {kills} at {kill}: {writes} writes, {len(self.wrong)} wrong, {took:.1f} s"
                )

    def _begin(self, number):
        """A new folder, with new users."""
        self._data = self._folder / f"system{number}"
        self._memory = Memory()
        self._oracle = SystemOracle(self._memory)
        seeds = [self._chance.getrandbits(32) for _ in range(USERS)]
        self._users = [User(f"u{each}", self._memory, random.Random(seed)) for each, seed in enumerate(seeds)]  # noqa: S311
        self._fresh = True

    def _next_kill(self, number):
        """Every other kill is at a failpoint; those that were not reached yet come first."""
        if number % 2:
            return Kill(after_s=self._chance.expovariate(5))
        if not self._points:
            self._points = sorted(set(PASSED) - self.reached) or list(PASSED)
        name = self._points.pop(0)
        most = 1 if name == "scheduler-preempting" else 3 if name.startswith("scheduler") else 10
        return Kill(name, self._chance.randint(1, most))

    def _one(self, nursery, kill, *, quiet):
        """One server from its start to its death; how many writes it accepted."""
        if self._chance.random() < EARLY:
            self._die_early(nursery)
        server = nursery.start(self._data, later=kill.armed)
        if not server.ready():
            raise AssertionError(f"the server died before it answered: {server.errors}")
        before = self._memory.accepted
        self._check(server, check_start)
        self._work(server, kill)
        server.died()
        self._judge()
        writes = self._memory.accepted - before
        self.accepted += writes
        if writes < WRITES:
            self.wrong.append(f"only {writes} writes were accepted")
        if quiet:
            server = nursery.start(self._data)
            server.ready()
            self._check(server, check_quiet)
            server.kill()
            server.died()
            self._judge()
        return writes

    def _die_early(self, nursery):
        """Kill a server while it starts, before or after it answers."""
        server = nursery.start(self._data)
        time.sleep(self._chance.uniform(0.02, 0.3))
        server.kill()
        server.died()

    def _check(self, server, check):
        connection = server.connect()
        try:
            if self._fresh:
                self._users[0].set_up(connection)
                self._fresh = False
            self.wrong += check(connection)
        except LostError:
            self.wrong.append(f"the server died by itself: {server.errors}")
        finally:
            connection.close()

    def _work(self, server, kill):
        stopped = threading.Event()
        self._users[0].preempts_only = False
        aim = self._memory.accepted + WRITES
        threads = [threading.Thread(target=each.work, args=(server.connect(), stopped)) for each in self._users]
        for each in threads:
            each.start()
        _wait(lambda: self._memory.accepted >= aim or not server.is_alive)
        if kill.failpoint:
            self._users[0].preempts_only = kill.failpoint == "scheduler-preempting"
            server.arm()
            if _wait(lambda: not server.is_alive):
                self.reached.add(kill.failpoint)
        else:
            time.sleep(kill.after_s)
        server.kill()
        stopped.set()
        for each in threads:
            each.join()
        self.wrong += self._memory.wrong
        self._memory.wrong.clear()

    def _judge(self):
        with Copy(self._data, self._folder / "copy") as copy:
            self.wrong += self._oracle.judge(copy)
            asked = self._oracle.resolve()
            found = {(each["kind"], each["metadata"]["name"]): each for each in copy.objects() if not is_going(each)}
        for each in self._users:
            each.learn(asked, found)


def _wait(condition):
    """Whether it came true in time."""
    until = time.monotonic() + LONGEST_S
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True
