import pytest

from bayplan.framework.errors import InputError
from bayplan.sim.engine.faults import Faults, MetricsFault


def test_nothing_is_broken_by_default():
    assert Faults().as_dict() == {
        "fail_rate": 0.0,
        "fail_status": 500,
        "slowdown": 1.0,
        "hang": False,
        "mute": False,
        "crash_after_requests": None,
        "crash_after_tokens": None,
        "cut_after_tokens": None,
        "unready_s": 0.0,
        "refuse_s": 0.0,
        "metrics": "live",
    }


def test_a_document_changes_what_it_names():
    faults = Faults(slowdown=2.0).changed({"fail_rate": 1, "metrics": "nan", "cut_after_tokens": 3})

    assert (faults.fail_rate, faults.metrics, faults.cut_after_tokens) == (1, MetricsFault.NAN, 3)
    assert faults.slowdown == 2.0
    assert faults.changed({"cut_after_tokens": None}).cut_after_tokens is None


WRONG = {
    "unknown": ({"fail_rat": 1}, "fail_rat: there is no such fault; did you mean 'fail_rate'?"),
    "a share above 1": ({"fail_rate": 1.5}, "fail_rate: 1.5 is not between 0 and 1"),
    "a text": ({"fail_rate": "1"}, "fail_rate: must be float or int"),
    "true is no number": ({"slowdown": True}, "slowdown: must be float or int"),
    "1 is not true": ({"hang": 1}, "hang: must be bool"),
    "no time at all": ({"slowdown": 0}, "slowdown: 0 is not between 0.001 and 1e+06"),
    "another status": ({"fail_status": 404}, "fail_status: 404 is not one of 429, 500, 503"),
    "after nothing": ({"crash_after_requests": 0}, "crash_after_requests: 0 is less than 1; null means never"),
    "no such metrics": ({"metrics": "odd"}, "metrics: must be one of live, frozen, nan"),
    "null where a number is": ({"refuse_s": None}, "refuse_s: must be float or int"),
    "negative": ({"unready_s": -1}, "unready_s: -1 is not between 0 and 86400"),
}  # fmt: skip


@pytest.mark.parametrize(("document", "message"), WRONG.values(), ids=WRONG)
def test_what_cannot_be(document, message):
    with pytest.raises(InputError) as caught:
        Faults().changed(document)
    assert str(caught.value) == message
