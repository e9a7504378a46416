from bayplan.sim.engine.chance import Chance


def test_the_seed_decides():
    assert [Chance(7).number() for _ in range(2)] == [Chance(7).number()] * 2
    assert Chance(7).number() != Chance(8).number()
    assert Chance(-1).number() < 2**64


def test_known_numbers():
    """The published sequence of SplitMix64 for the seed 1234567."""
    chance = Chance(1234567)

    assert [chance.number() for _ in range(3)] == [6457827717110365317, 3203168211198807973, 9817491932198370423]


def test_what_happens_follows_the_probability():
    chance = Chance(1)
    happened = sum(chance.happens(0.25) for _ in range(4_000))

    assert 900 < happened < 1_100
    assert not any(chance.happens(0.0) for _ in range(100))
    assert all(chance.happens(1.0) for _ in range(100))
