"""Who is upset by a model that shares with nobody."""

import pytest

from bayplan.serving.books.ledger import Ledger
from bayplan.serving.following.sharing import upset_holders
from unit.serving.builders import booking, key, server

CASES = {  # bookings, models whose documents are dedicated; who is upset
    "nobody is dedicated": ([booking(), booking("wine")], (), []),
    "the new one by its booking": ([booking(dedicated=True), booking("wine")], (), ["wine"]),
    "the new one by its document": ([booking(), booking("wine")], ("iris",), ["wine"]),
    "another by its document": ([booking(), booking("wine"), booking("mnist")], ("wine",), ["wine"]),
    "on another server": ([booking(dedicated=True), booking("wine", "b/0")], (), []),
    "what is gone": ([booking(dedicated=True), booking("wine", state="unloaded")], (), []),
}


@pytest.mark.parametrize(("bookings", "dedicated", "upset"), CASES.values(), ids=CASES)
def test_upset_holders(bookings, dedicated, upset):
    ledger = Ledger([server("a"), server("b")], bookings)

    assert [each.name for each in upset_holders(key(), ledger, {key(name) for name in dedicated})] == upset
