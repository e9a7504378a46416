"""What is odd about a model on these servers."""

from bayplan.library.serving.model_warnings import model_warnings
from unit.serving.builders import booking, model, planner, server


def warnings(bookings=(), **fields):
    made = planner([server("mlserver", 1)], bookings)
    return list(model_warnings(made.plan(model(**fields)), made.ledger))


def test_a_server_that_is_not_there():
    (warning,) = warnings(server="mlservre")

    assert "'mlservre'" in warning
    assert "did you mean 'mlserver'?" in warning


def test_versions_above_the_one_that_is_meant():
    (warning,) = warnings([booking(place="mlserver/0", version=3)], version=2)

    assert "bayplan.io/version" in warning
    assert "version 3 is booked" in warning
    assert warnings([booking(place="mlserver/0", version=3)], version=2, deleted=True) == []


def test_nothing_odd():
    assert warnings(server="mlserver") == []
