"""A running system is killed while users work with it, at random moments and at every failpoint; nothing goes wrong."""

from crash.system_kills import PASSED, WRITES, SystemKills

KILLS = 30


def test_thirty_kills(tmp_path):
    kills = SystemKills(tmp_path, seed=13)
    kills.run(KILLS)

    assert kills.wrong == []
    assert kills.reached == set(PASSED)
    assert kills.accepted >= WRITES * KILLS
