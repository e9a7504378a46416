"""Replicas that may stand on several workers, whole cards of one model each, and what brute force finds."""

from functools import cache

from hypothesis import strategies as st

from properties.placement.documents import said
from properties.placement.domain_rules import LEVELS, Rules

MODELS = ("H100-SXM5-80GB", "A100-SXM4-80GB")


@st.composite
def spanning_specs(draw):
    """A few replicas of a few cards, with limits that they share."""
    spec = {"distributed": True, "replicas": draw(st.integers(1, 4)), "gpus": {"count": draw(st.integers(2, 6))}}
    if draw(st.booleans()):
        within, minimum = draw(st.sampled_from((None, *LEVELS))), draw(st.sampled_from((None, 1, 2)))
        spec["gang"] = said(within=within, minimum=minimum and min(minimum, spec["replicas"]))
    price = draw(st.sampled_from((None, None, 3, 5, 7, 9)))
    share = draw(st.sampled_from((None, None, 0, 34, 50, 75)))
    cost = said(maxUsdPerHour=price, maxSpotPercent=share)
    return {**spec, **({"cost": cost} if cost else {})}


@st.composite
def with_two_models(draw, clusters):
    """Some of the workers have cards of another model."""
    cluster = draw(clusters)
    for worker in cluster["workers"]:
        worker["gpus"]["model"] = draw(st.sampled_from(MODELS))
    return cluster


class SpanningRules(Rules):
    """One workload of spanning replicas on one cluster."""

    def _most(self, names):
        count, ((_, missing),) = self.spec["gpus"]["count"], self.missing
        paid = frozenset(each["worker"] for each in self.mine)
        spent = sum(self.workers[name].get("usdPerHour") or 0 for name in paid)
        lent = len({each["replica"] for each in self.mine if self.workers[each["worker"]]["spot"]})
        limit = None if self.limit is None else max(self.limit, spent)
        most_on_spot = None if self.most_on_spot is None else max(self.most_on_spot, lent)
        usable = [self.workers[name] for name in names if self.open(self.workers[name])]

        @cache
        def further(free, paid, lent, left):
            best = 0
            for model in MODELS if left else ():
                alike = [worker["gpus"]["model"] == model for worker in usable]
                for given in _divided(count, [had * same for had, same in zip(free, alike, strict=True)]):
                    used = [worker for number, worker in zip(given, usable, strict=True) if number]
                    then = paid | {worker["name"] for worker in used}
                    usd = sum(self.workers[name].get("usdPerHour") or 0 for name in then)
                    spot = lent + any(worker["spot"] for worker in used)
                    if (limit is None or usd <= limit) and (most_on_spot is None or spot <= most_on_spot):
                        left_free = tuple(had - number for had, number in zip(free, given, strict=True))
                        best = max(best, 1 + further(left_free, then, spot, left - 1))
                    if best == left:
                        return best
            return best

        return further(tuple(self.free(worker["name"]) for worker in usable), paid, lent, missing)


def _divided(number, most):
    """All ways to take so many, no more of each than there are."""
    if not most:
        return [()] if number == 0 else []
    first, *others = most
    return [(some, *rest) for some in range(min(first, number) + 1) for rest in _divided(number - some, others)]
