"""Rows outside a profile are seen as a profile sees them."""

import numpy as np

from bayplan.framework.handlers.single_profile import SingleProfile
from bayplan.framework.pickers.max_score import MaxScore
from bayplan.framework.profile import Profile
from bayplan.framework.scheduler import Scheduler
from bayplan.placement.asks.ask import CardRule, CardShape, Taking
from bayplan.placement.cards.choose import choose, look
from bayplan.placement.producers.card_fit import CardFit
from bayplan.placement.producers.chosen_cards import ChosenCards
from bayplan.placement.producers.usable_cards import UsableCards
from bayplan.placement.scorers.binpack import Binpack
from fleets import booking, share
from unit.placement.builders import ask, subject, table_of, worker

ASKED = ask(taking=Taking.SHARE, shapes=(CardShape(2, 10_000),), rule=CardRule(needs_memory=True))
WORKERS = [worker("a", cards=3), worker("b", cards=2), worker("c")]
TABLE = table_of(*WORKERS, bookings=(booking("o", share(0, 30_000), on="a"), booking("o", share(1, 31_000), on="b")))


def test_the_same_numbers_as_in_a_profile():
    producers = (UsableCards(), CardFit(), ChosenCards())
    profile = Profile("p", MaxScore(), scorers=(Binpack(),), producers=producers)
    scheduler = Scheduler([profile], SingleProfile(), table=TABLE)
    pick = scheduler.schedule(subject(), ASKED).picked[0]

    given = choose(ASKED, look(ASKED, TABLE, np.arange(3)), "tight", subject())

    assert pick.key == "a"
    assert 2 / 3 * given.fullness.max() == pick.total
    assert given.fullness.argmax() == pick.row


def test_any_rows_in_any_order():
    whole = look(ASKED, TABLE, np.arange(3))
    parts = [look(ASKED, TABLE, np.array([row])) for row in (2, 0, 1)]

    assert [int(part.fit_shape[0]) for part in parts] == whole.fit_shape[[2, 0, 1]].tolist()
    assert sorted(whole.fit_shape.tolist()) == [-1, -1, 0]


def test_a_fork_is_seen_as_it_is_written():
    fork = TABLE.fork()
    row = TABLE.keys.index("a")
    fork.write(row, {"card_share_free_mib": np.zeros(3, np.int64)})

    assert look(ASKED, fork, np.array([row])).fit_shape.tolist() == [-1]
    assert look(ASKED, TABLE, np.array([row])).fit_shape.tolist() == [0]
