"""Refused rows that are alike share one sentence, and numbers stay with their rows."""

from bayplan.placement.cards.mig.instance_shortage import READS, shortage
from fleets import CUT, instance
from unit.placement.builders import gpu, worker
from unit.placement.cards.mig.test_instance_cards import rows_of, slices


def test_each_row_has_its_own_numbers():
    asked = slices("3g.20gb", 3)
    workers = (worker("a", cards=[gpu(mig=CUT)]), worker("b", cards=1), worker("c", cards=[gpu(mig=CUT)]))
    rows = rows_of(asked, *workers, held=[instance("1g.5gb", 0)])
    rows.card_wholes, rows.card_shares = (rows.card_mig_taken * 0 for _ in range(2))
    rows.loose_slices = rows.loose_free

    reasons = list(shortage(asked, rows).each(3, "mig-fit"))

    assert [(each.needed, each.free, each.curable) for each in reasons] == [(3, 1, False), (3, 0, False), (3, 2, False)]
    assert [each.message.partition("; ")[2] for each in reasons] == [
        "1 more without the bookings on cuda:0",
        "cuda:0 may not be reconfigured",
        "",
    ]
    assert {"card_wholes", "card_shares", "loose_slices"} <= set(READS)
