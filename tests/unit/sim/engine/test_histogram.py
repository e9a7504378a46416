from bayplan.sim.engine.histogram import Histogram
from exposition import read_exposition


def test_values_are_counted_up_to_each_bound():
    histogram = Histogram("seconds", 'model="m"', "Some seconds", (0.1, 1.0, 10))
    for value in (0.05, 0.1, 0.5, 100.0):
        histogram.observe(value)
    histogram.observe(2.0, times=3)
    read = read_exposition(histogram.text())

    assert read.kinds == {"seconds": "histogram"}
    found = {bound: read.value("seconds_bucket", le=bound) for bound in ("0.1", "1.0", "10.0", "+Inf")}
    assert found == {"0.1": 2, "1.0": 3, "10.0": 6, "+Inf": 7}
    assert read.value("seconds_count", model="m") == 7
    assert read.value("seconds_sum") == 0.05 + 0.1 + 0.5 + 100.0 + 6.0
