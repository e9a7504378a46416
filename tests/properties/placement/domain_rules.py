"""Small clusters in zones and racks, workloads under every rule about several members, and what brute force finds."""

from itertools import combinations, product

from hypothesis import strategies as st

from properties.placement.documents import said

LEVELS = ("zone", "rack")
CARD = {"model": "H100-SXM5-80GB", "memory": "80Gi"}
PRIORITY = 10


@st.composite
def tiny_clusters(draw, *, own=True, most=5):
    """Workers with a few cards, some of them held by others, and by two replicas of the workload itself."""
    workers, bookings = [], []
    for number in range(draw(st.integers(1, most))):
        worker = {"name": f"w{number}", "gpus": {"count": draw(st.integers(1, 4)), **CARD}}
        place = {
            level: draw(st.sampled_from((*names, None)))
            for level, names in zip(LEVELS, (("x", "y"), "kl"), strict=True)
        }
        price, spot = draw(st.sampled_from((1, 2, 3, 5, None))), draw(st.booleans())
        workers.append({**worker, **said(**place, usdPerHour=price), "spot": spot, "status": draw(STATUS)})
        bookings += draw(_held(worker, own=own))
    for number, booking in enumerate(bookings):
        booking["replica"] = sum(each["workload"] == booking["workload"] for each in bookings[:number])
    return {"workers": workers, "bookings": bookings}


STATUS = st.sampled_from(("ready", "ready", "ready", "ready", "cordoned"))


@st.composite
def _held(draw, worker, *, own):
    names = ("other", "low", "gang-1", "gang-2", *(("mine",) if own else ()))
    found, free = [], list(range(worker["gpus"]["count"]))
    while free and draw(st.booleans()):
        name = draw(st.sampled_from(names))
        number = 1 if name == "mine" else draw(st.integers(1, len(free)))
        cards, free = free[:number], free[number:]
        booking = {"workload": name, "worker": worker["name"], "gpus": [{"index": card} for card in cards]}
        gang = {"gang": name} if name.startswith("gang") else {}
        found.append({**booking, **gang, "priority": {"other": 20, "low": 1, "gang-1": 2, "gang-2": 3}.get(name, 10)})
    return found


@st.composite
def specs(draw, *, roles=True):
    """A workload of one or two shapes under some of the rules."""
    spec = {}
    if roles and draw(st.booleans()):
        sizes = draw(st.lists(st.integers(1, 4), min_size=2, max_size=2))
        spec["roles"] = [
            {"name": f"r{number}", "replicas": draw(st.integers(1, 3)), "gpus": {"count": size}}
            for number, size in enumerate(sizes)
        ]
    else:
        spec |= {"replicas": draw(st.integers(1, 5)), "gpus": {"count": draw(st.integers(1, 3))}}
    total = desired(spec)
    if draw(st.booleans()):
        spec["gang"] = said(
            within=draw(st.sampled_from((None, *LEVELS))), minimum=draw(st.sampled_from((None, 1, total)))
        )
    spec |= said(spreadOver=draw(st.sampled_from((None, *LEVELS))))
    price, share = draw(st.sampled_from((None, None, 3, 5, 7))), draw(st.sampled_from((None, None, 0, 34, 50)))
    cost = said(maxUsdPerHour=price, maxSpotPercent=share)
    if cost:
        for each in spec.get("roles", [spec]):
            each["cost"] = cost
    return spec


def desired(spec):
    return sum(role["replicas"] for role in spec["roles"]) if "roles" in spec else spec["replicas"]


def shapes(spec):
    """Cards and replicas of each role."""
    roles = spec.get("roles") or [spec]
    return [(role["gpus"]["count"], role["replicas"]) for role in roles]


def domain(worker, level):
    """The domain with the names above it; None where the worker names none."""
    names = tuple(worker.get(each) for each in LEVELS[: LEVELS.index(level) + 1])
    return None if names[-1] is None else names


class Rules:
    """One workload on one cluster, the bookings `gone` left out."""

    def __init__(self, cluster, spec, gone=()):
        self.spec, self.workers = spec, {each["name"]: each for each in cluster["workers"]}
        self.bookings = [each for number, each in enumerate(cluster["bookings"]) if number not in gone]
        self.mine = [each for each in self.bookings if each["workload"] == "mine"]
        cost = (spec.get("roles") or [spec])[0].get("cost", {})
        self.limit, percent = cost.get("maxUsdPerHour"), cost.get("maxSpotPercent")
        self.most_on_spot = None if percent is None else desired(spec) * percent // 100
        self.missing = self._missing()

    def _missing(self):
        there, found = len(self.mine), []
        for size, number in shapes(self.spec):
            found.append((size, max(0, number - there)))
            there = max(0, there - number)
        return found

    def free(self, name):
        held = sum(len(each["gpus"]) for each in self.bookings if each["worker"] == name)
        return self.workers[name]["gpus"]["count"] - held

    def open(self, worker):
        """Whether it takes members at all, as far as it alone decides."""
        if worker["status"] != "ready" or (worker["spot"] and self.most_on_spot == 0):
            return False
        return self.limit is None or (worker.get("usdPerHour") is not None and worker["usdPerHour"] <= self.limit)

    def counting(self, names):
        """The domains of `spreadOver` that count."""
        level, least = self.spec["spreadOver"], min(size for size, _ in shapes(self.spec))
        inside = (self.workers[name] for name in names)
        fits = [each for each in inside if self.open(each) and each["gpus"]["count"] >= least]
        return {domain(each, level) for each in fits} - {None}

    def most(self):
        """The most missing members that can be placed at once."""
        level = (self.spec.get("gang") or {}).get("within")
        if level is None:
            return self._most(list(self.workers))
        rooms = self.rooms(level)
        return max(rooms.values(), default=0)

    def rooms(self, level):
        """What each domain holds; where members stand already, only theirs is asked."""
        domains = {domain(each, level) for each in self.workers.values()} - {None}
        there = {domain(self.workers[each["worker"]], level) for each in self.mine}
        if there:
            domains &= there if len(there) == 1 else set()
        return {
            one: self._most([name for name, each in self.workers.items() if domain(each, level) == one])
            for one in domains
        }

    def _most(self, names):
        paid = {each["worker"] for each in self.mine}
        spent = sum(self.workers[name].get("usdPerHour") or 0 for name in paid)
        lent = len({each["replica"] for each in self.mine if self.workers[each["worker"]]["spot"]})
        limit = None if self.limit is None else max(self.limit, spent)
        most_on_spot = None if self.most_on_spot is None else max(self.most_on_spot, lent)
        states = {((0,) * len(self.missing), spent, lent, ())}
        spread = self.spec.get("spreadOver")
        counting = sorted(self.counting(names), key=str) if spread else []
        for name in names:
            worker = self.workers[name]
            where = domain(worker, spread) if spread else None
            if not self.open(worker) or (spread and where not in counting):
                continue
            price = 0 if name in paid or self.limit is None else worker["usdPerHour"]
            further = set()
            for numbers in product(*(range(number + 1) for _, number in self.missing)):
                cards = sum(number * size for number, (size, _) in zip(numbers, self.missing, strict=True))
                if not any(numbers) or cards > self.free(name):
                    continue
                for members, usd, spot, counts in states:
                    total = tuple(map(sum, zip(members, numbers, strict=True)))
                    usd_then, spot_then = usd + price, spot + sum(numbers) * worker["spot"]
                    if any(had > most for had, (_, most) in zip(total, self.missing, strict=True)):
                        continue
                    if limit is not None and usd_then > limit:
                        continue
                    if most_on_spot is not None and spot_then > most_on_spot:
                        continue
                    then = counts if not spread else tuple(sorted([*counts, *[where] * sum(numbers)], key=str))
                    further.add((total, usd_then, spot_then, then))
            states |= further
        there = dict.fromkeys(counting, 0)
        for each in self.mine if spread else ():
            where = domain(self.workers[each["worker"]], spread)
            if where in there:
                there[where] += 1
        return max(sum(members) for members, _, _, counts in states if not spread or _even(there, counts))


def _even(there, added):
    """Whether members can be added one by one, each where the fewest stand, to end like this."""
    counts, left = dict(there), {one: added.count(one) for one in there}
    while any(left.values()):
        least = min(counts.values())
        fitting = [one for one in counts if counts[one] == least and left[one]]
        if not fitting:
            return False
        counts[fitting[0]] += 1
        left[fitting[0]] -= 1
    return True


def expected(cluster, spec, rules=Rules):
    """Verdict, how many are placed, and how many could be, whatever the minimum."""
    now = rules(cluster, spec)
    total, there = desired(spec), len(now.mine)
    wanted = total - there
    if wanted <= 0:
        return "fits", 0, 0
    gang = spec.get("gang")
    least = 1 if gang is None else total if gang.get("minimum") is None else gang["minimum"]
    minimum, most = max(1, least - there), now.most()
    if most >= minimum:
        return ("fits" if most == wanted else "partly"), most, most
    emptied = rules(cluster, spec, gone=range(len(cluster["bookings"])))
    return ("waiting" if emptied.most() >= minimum else "infeasible"), 0, most


def units(cluster):
    """Sets of bookings, by number, that fall together, of a lower priority than the workload's."""
    groups = {}
    for number, each in enumerate(cluster["bookings"]):
        groups.setdefault(each.get("gang") or (each["workload"], each["replica"]), []).append(number)
    found = []
    for group in groups.values():
        bookings = [cluster["bookings"][number] for number in group]
        if max(each["priority"] for each in bookings) < PRIORITY and all(
            each["workload"] != "mine" for each in bookings
        ):
            found.append(group)
    return found


def least_harm(cluster, spec):
    """Highest priority, bookings and cards of the best set whose going lets all fit; None where there is none."""
    lower, best = units(cluster), None
    for size in range(1, len(lower) + 1):
        for chosen in combinations(lower, size):
            gone = [number for group in chosen for number in group]
            harm = harm_of(cluster, gone)
            if (best is None or harm < best) and _fits(Rules(cluster, spec, gone=gone)):
                best = harm
    return best


def _fits(rules):
    return rules.most() == desired(rules.spec) - len(rules.mine)


def harm_of(cluster, numbers):
    bookings = [cluster["bookings"][number] for number in numbers]
    return max(each["priority"] for each in bookings), len(bookings), sum(len(each["gpus"]) for each in bookings)
