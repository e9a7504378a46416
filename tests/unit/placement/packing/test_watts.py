"""What cards draw, by the name of their product."""

import pytest

from bayplan.placement.packing.watts import UNKNOWN_CARD, Draw, draw_of

PRODUCTS = {
    "as traces write it": ("V100M32", Draw(30, 300)),
    "a product": ("Tesla T4", Draw(10, 70)),
    "A10 is not A100": ("NVIDIA A10", Draw(30, 150)),
    "A100 is not A10": ("NVIDIA A100-SXM4-80GB", Draw(50, 400)),
    "not in the table": ("Unheard", UNKNOWN_CARD),
    "not told": (None, UNKNOWN_CARD),
}


@pytest.mark.parametrize(("product", "wanted"), PRODUCTS.values(), ids=PRODUCTS)
def test_draw(product, wanted):
    assert draw_of(product) == wanted
