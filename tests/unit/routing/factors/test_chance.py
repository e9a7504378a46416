"""Things that happen with a probability."""

from bayplan.routing.factors.chance import happens
from unit.routing.endpoint_tables import cycle


def test_shares():
    shares = {share: sum(happens(share, cycle(seed=seed)) for seed in range(2000)) / 2000 for share in (0, 0.3, 1)}

    assert (shares[0], shares[1]) == (0.0, 1.0)
    assert 0.26 < shares[0.3] < 0.34


def test_the_seed_decides():
    assert [happens(0.5, cycle(seed=seed)) for seed in range(20)] == [
        happens(0.5, cycle(seed=seed)) for seed in range(20)
    ]
