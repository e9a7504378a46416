"""Where a model goes, by the plainest possible reading of the rules: dicts, loops, and nothing kept."""

from __future__ import annotations

HERE = ["available", "loaded", "loading", "load-requested", "loaded-unavailable"]
LEAVING = ["draining", "unload-requested", "unloading", "unload-failed"]


def held(bookings, server, index):
    return sum(
        each["memory"]
        for each in bookings
        if (each["server"], each["serverReplica"]) == (server, index) and each["state"] in HERE + LEAVING
    )


def free(replica, taken):
    if replica["memory"] is None:
        return None
    room = replica["memory"] * (100 + replica["overcommitPercent"]) // 100 - taken
    return max(0, min(replica["memory"], room) - replica["reserved"])


class Question:
    """One model on servers with bookings, all as plain dicts with every field given."""

    def __init__(self, model, servers, bookings):
        self.model, self.servers, self.bookings = model, servers, bookings
        self.own = [each for each in bookings if each["workload"] == model["name"]]
        self.version = model["version"] or max([each["version"] for each in self.own], default=1)
        self.mine = [each for each in self.own if each["version"] == self.version]
        self.need = model["memory"] * max(
            [each["instances"] for each in self.own if each["version"] <= self.version], default=1
        )

    def here(self, server=None, index=None):
        return [
            each
            for each in self.mine
            if each["state"] in HERE and server in (None, each["server"]) and index in (None, each["serverReplica"])
        ]

    def server_codes(self, server):
        codes, model = [], self.model
        if not server["replicas"]:
            codes.append("no-replicas")
        if model["server"] is None and not server["shared"]:
            codes.append("not-shared")
        if model["server"] not in (None, server["name"]):
            codes.append("pinned-elsewhere")
        if server["expectedReplicas"] == 0:
            codes.append("server-deleted")
        others = {
            each["workload"]
            for each in self.bookings
            if each["server"] == server["name"]
            and each["workload"] != model["name"]
            and each["state"] in HERE + LEAVING
        }
        dedicated = {each["workload"] for each in self.bookings if each["dedicated"]}
        if others and (model["dedicated"] or others & dedicated):
            codes.append("dedicated")
        return codes

    def replica_codes(self, server, replica):
        name, index, model = server["name"], replica["index"], self.model
        codes, kept = [], bool(self.here(name, index))
        if not set(model["requirements"]) <= set(replica["capabilities"]):
            codes.append("capability-missing")
        if model["explainer"] and "alibi-explain" not in replica["capabilities"]:
            codes.append("explainer-missing")
        room = free(replica, held(self.bookings, name, index))
        if not kept and self.need:
            if room is None:
                codes.append("unknown-capacity")
            elif room < self.need:
                codes.append("memory-short")
        if not kept and model["preloaded"]:
            codes.append("preloaded")
        if replica["draining"]:
            codes.append("draining")
        states = [each["state"] for each in self.mine if (each["server"], each["serverReplica"]) == (name, index)]
        if "load-failed" in states:
            codes.append("load-failed")
        if set(states) & set(LEAVING):
            codes.append("leaving")
        return codes

    def order(self, server, replica):
        here = self.here(server["name"], replica["index"])
        state = HERE.index(here[0]["state"]) if here else len(HERE)
        room = free(replica, held(self.bookings, server["name"], replica["index"]))
        return (state, -(room or 0), replica["index"])

    def fitting(self, server):
        return sorted(
            (each for each in server["replicas"] if not self.replica_codes(server, each)),
            key=lambda each: self.order(server, each),
        )

    def current(self):
        for version in [self.version, *sorted({b["version"] for b in self.own if b["version"] < self.version})[::-1]]:
            own = [each for each in self.own if each["version"] == version]
            for states in (HERE, ["draining"]):
                for each in own:
                    if each["state"] in states:
                        return each["server"]
        return None

    def ranked(self):
        def key(server):
            given = self.fitting(server)[: self.model["replicas"]]
            room = sum(-self.order(server, each)[1] for each in given)
            return (server["name"] != self.current(), -len(given), -room, server["name"])

        return sorted(self.servers, key=key)

    def answer(self):
        """The verdict without the difference between waiting and infeasible, the server, and the replicas."""
        wanted, least = self.model["replicas"], self.model["minReplicas"]
        if not wanted:
            return "fits", None, set()
        for verdict, enough in (("fits", wanted), ("partly", least)):
            for server in self.ranked() if enough else ():
                given = self.fitting(server)
                if not self.server_codes(server) and len(given) >= enough:
                    return verdict, server["name"], {each["index"] for each in given[:wanted]}
        return "refused", None, set()

    def verdict(self):
        found = self.answer()[0]
        if found != "refused":
            return found
        emptied = Question({**self.model, "version": self.version}, self.servers, [])
        emptied.need = self.need
        return "infeasible" if emptied.answer()[0] == "refused" else "waiting"
