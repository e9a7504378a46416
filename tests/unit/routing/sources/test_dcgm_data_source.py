"""Parameters of the source of GPU figures."""

from bayplan.routing.sources.dcgm_data_source import DcgmDataSource
from unit.routing.endpoint_tables import refused_at


def test_what_is_refused():
    assert DcgmDataSource().port == 9400
    assert refused_at(DcgmDataSource, port=0) == "port"
    assert refused_at(DcgmDataSource, interval="soon") == "interval"
