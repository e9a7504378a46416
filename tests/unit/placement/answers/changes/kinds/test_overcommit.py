from __future__ import annotations

import pytest

from unit.placement.answers.changes.asking import changes, cluster, held, kinds, model, worker

pytestmark = pytest.mark.usefixtures("no_headroom")

ON = cluster(worker(cards=1), bookings=[held("other", (0, "60Gi"))])


def test_it_comes_last_and_says_by_how_much():
    found = changes({"model": model("30Gi"), "backend": {"name": "vllm"}}, ON)

    assert found[-1]["change"] == "overcommit"
    assert found[-1]["detail"] == "allowOvercommit: true: 10 GiB more than is free, and it may not start"


def test_no_card_to_oversell():
    assert "overcommit" not in kinds({"gpus": {"count": 2, "memory": "10Gi"}}, ON)
