"""How much of a prompt is held."""

import pytest

from bayplan.routing.endpoints.prefix_match import PrefixMatch, prefix_column

COLUMNS = {
    "kebab-case": ("approx-prefix-cache-producer", "prefix_of_approx_prefix_cache_producer"),
    "a name with an underscore is another one": ("a_b", "prefix_of_a_x5f_b"),
    "any sign": ("tier/2.é", "prefix_of_tier_x2f_2_x2e__xe9_"),
}


@pytest.mark.parametrize(("name", "column"), COLUMNS.values(), ids=COLUMNS)
def test_columns(name, column):
    assert prefix_column(name) == column
    assert column.isidentifier()


def test_share():
    assert (PrefixMatch(3, 4, 16).share, PrefixMatch(0, 0, 16).share) == (0.75, 0.0)


def test_uncached_tokens():
    assert PrefixMatch(2, 3, 16).uncached_tokens(40) == 8
    assert PrefixMatch(3, 3, 16).uncached_tokens(40) == 0
    assert PrefixMatch(1.6, 2, 10).uncached_tokens(20) == 4
