"""What cards are worth by themselves: the mean of three parts, and what of it nobody knows."""

from types import SimpleNamespace

import numpy as np
import pytest

from bayplan.placement.factors.card_worth import card_worth
from unit.placement.builders import gpu, table_of, worker


def worth(*cards):
    columns = table_of(worker("a", cards=cards))
    return card_worth(SimpleNamespace(cards_id=columns.columns["cards_id"], pools=columns.shared["pools"]))


CASES = {  # cards: mean, whether capability and link are missing
    "no cards": ((), 0.0, False, False),
    "all is known": ((gpu(model="T4", pcie_gen=3),), (1 / 8 + 0.75 + 0.6) / 3, False, False),
    "no link": ((gpu(model="T4"),), (1 / 8 + 0.75 + 0.5) / 3, False, True),
    "another vendor": ((gpu(model="MI300X", runtime="rocm", pcie_gen=5),), (1 / 8 + 0.5 + 1) / 3, True, False),
    "newer than the newest": ((gpu(model="RTX 5090", pcie_gen=6),), (1 / 8 + 1 + 1) / 3, False, False),
}


@pytest.mark.parametrize(("cards", "mean", "capability", "link"), CASES.values(), ids=CASES)
def test_worth(cards, mean, capability, link):
    found = worth(*cards)

    assert found.mean.tolist() == [pytest.approx(mean)]
    assert {name: lacks.tolist() for name, lacks in found.missing.items()} == {
        "computeCapability": [capability],
        "pcieGen": [link],
    }


def test_no_rows():
    found = card_worth(SimpleNamespace(cards_id=np.array([], np.int32), pools=None))

    assert found.mean.shape == (0,)
