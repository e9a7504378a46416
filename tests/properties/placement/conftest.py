"""The cards of these tests are a few MiB large; so is what engines need beside their own."""

import pytest

from bayplan.sizing import margins
from properties.placement.dividing import GONE, HEADROOM


@pytest.fixture(autouse=True, scope="module")
def small_margins():
    with pytest.MonkeyPatch.context() as patch:
        for name, (one, several) in (("HEADROOM", HEADROOM), ("GONE", GONE)):
            patch.setattr(margins, f"_{name}_MIB", one)
            patch.setattr(margins, f"_{name}_OF_SEVERAL_MIB", several)
        yield
