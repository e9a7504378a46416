"""Price, power and, where they are liked, spot machines."""

import pytest

from bayplan.placement.scorers.cost import Cost
from unit.placement.builders import ask, keeps_its_promises, worker
from unit.placement.scorers.explained import note, score

PLAIN, SPOT, NO_SPOT = ask(), ask(spot=True), ask(spot=False)
CASES = {
    "free": (PLAIN, {"usd_per_hour": 0.0, "power_watts": 0.0}, 1.0, ""),
    "price and power": (PLAIN, {"usd_per_hour": 30.0, "power_watts": 6500.0}, (0.7 + 0.35) / 2, ""),
    "dear and hungry": (PLAIN, {"usd_per_hour": 900.0, "power_watts": 90_000.0}, 0.0, ""),
    "price not known": (PLAIN, {"power_watts": 0.0}, 0.75, "not known: usdPerHour"),
    "power not known": (PLAIN, {"usd_per_hour": 100.0}, 0.25, "not known: powerWatts"),
    "nothing known": (PLAIN, {}, 0.5, "not known: usdPerHour, powerWatts"),
    "spot, which nobody asked for": (PLAIN, {"usd_per_hour": 0.0, "power_watts": 0.0, "spot": True}, 1.0, ""),
    "spot, which is refused elsewhere": (NO_SPOT, {"usd_per_hour": 0.0, "power_watts": 0.0}, 1.0, ""),
    "spot": (SPOT, {"usd_per_hour": 50.0, "power_watts": 5000.0, "spot": True}, 2 / 3, ""),
    "no spot": (SPOT, {"usd_per_hour": 50.0, "power_watts": 5000.0}, 1 / 3, ""),
}  # fmt: skip


@pytest.mark.parametrize(("asked", "offer", "wanted", "told"), CASES.values(), ids=CASES)
def test_score(asked, offer, wanted, told):
    assert score(Cost(), asked, worker(**offer)) == pytest.approx(wanted)
    assert note(Cost(), asked, worker(**offer)) == told


def test_contract():
    keeps_its_promises(Cost(), [worker(**offer) for _, offer, *_ in CASES.values()], [PLAIN, SPOT, NO_SPOT])
