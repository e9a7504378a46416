"""What a workload's workers cost together stays within its limit."""

import numpy as np
import pytest

from bayplan.placement.constraints.cost_sum import SPENT, CostSum, Spent
from unit.placement.builders import ask, hash_of, judge, keeps_its_promises, subject, worker

CASES = {
    "no limit": (None, 99.0, 9.0, (), None),
    "the first worker": (10.0, 10.0, 0.0, (), None),
    "too dear": (10.0, 10.5, 0.0, (), "cost"),
    "the last that is affordable": (10.0, 4.0, 6.0, (), None),
    "the last cent": (3.3, 1.1, 2.2, (), None),
    "too dear beside the others": (10.0, 4.5, 6.0, (), "cost"),
    "paid for already": (10.0, 4.5, 6.0, ("a",), None),
    "another is paid for": (10.0, 4.5, 6.0, ("b",), "cost"),
}


@pytest.mark.parametrize(("limit", "price", "spent", "used", "code"), CASES.values(), ids=CASES)
def test_limit(limit, price, spent, used, code):
    who = subject(constraints={SPENT: Spent(np.array([hash_of(name) for name in used], np.int64), spent)})
    verdict = judge(CostSum(), ask(max_usd_per_hour=limit), worker(usd_per_hour=price), who=who)

    assert (verdict.code, verdict.curable) == (code, False)


def test_the_reason_has_the_numbers():
    who = subject(constraints={SPENT: Spent(np.zeros(0, np.int64), 6.0)})
    verdict = judge(CostSum(), ask(max_usd_per_hour=10.0), worker(usd_per_hour=4.5), who=who)

    assert (verdict.needed, verdict.free, verdict.short, verdict.unit) == (4.5, 4.0, 0.5, "USD/h")
    assert verdict.message == "costs 4.5 USD/h; other workers of the workload take 6 of the limit of 10"


def test_contract():
    workers = [worker(usd_per_hour=price) for price in (1.0, 5.0, 20.0)]
    keeps_its_promises(CostSum(), workers, [ask(), ask(max_usd_per_hour=5.0)])
    assert CostSum.required
