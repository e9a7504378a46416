"""Names of a data plane's metrics keep to the conventions, and are all documented."""

import re
from pathlib import Path

import pytest

from bayplan.telemetry.metrics import catalogue, routing_catalogue
from bayplan.telemetry.metrics.definition import Definition, Kind
from bayplan.telemetry.metrics.routing_catalogue import OWN

DOCS = Path(__file__).parents[4] / "docs"
PAGES = (DOCS / "relay.md", DOCS / "envoy.md", DOCS / "model-requests.md")
each = pytest.mark.parametrize("about", OWN, ids=lambda about: about.name)


def test_every_metric_is_in_a_group():
    defined = {about.name for about in vars(routing_catalogue).values() if isinstance(about, Definition)}

    assert defined == {about.name for about in OWN}


def test_no_name_is_used_twice():

    assert len({about.name for about in OWN}) == len(OWN)
    assert not {about.name for about in OWN} & {about.name for about in catalogue.ALL}


@each
def test_names(about):
    assert re.fullmatch(r"(llm_d_epp|bayplan_relay|bayplan_picker|bayplan_model|seldon_model)(_[a-z0-9]+)+", about.name)
    assert about.name.endswith("_total") == (about.kind is Kind.COUNTER)
    assert about.help.endswith(".")


@each
def test_a_page_tells_of_it(about):
    assert any(f"`{about.name}`" in page.read_text() for page in PAGES if page.exists())
