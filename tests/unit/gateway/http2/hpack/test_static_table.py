"""The static table is the RFC's, as another implementation has it too."""

from hpack.table import HeaderTable

from bayplan.gateway.http2.hpack.static_table import FIRST_DYNAMIC, STATIC_TABLE


def test_the_table_is_the_one_that_others_use():
    assert STATIC_TABLE == HeaderTable.STATIC_TABLE
    assert FIRST_DYNAMIC == 62
