import pytest

from bayplan.gateway.relay.endpoint_figures import KEPT, EndpointFigures
from bayplan.telemetry.request_metrics import EndedRequest


def ended(status=200, ttft_s=None, prompt=None, cached=None, *, stream=True):
    return EndedRequest("completed", status, 1.0, ttft_s, 10, 10, stream, prompt, 5, cached)


def figures_of(*requests, at_s=100.0, is_whole=True):
    figures = EndpointFigures()
    for each in requests:
        figures.ended(each, at_s, is_whole=is_whole)
    return figures


NOTHING = {"answered": 0, "failed": 0, "requestsPerSecond": 0.0, "ttftSecondsP50": None, "prefixHitRate": None}
ROWS = {
    "nothing has happened":             ([], {}),
    "a request counts for ten seconds": ([ended()] * 5, {"answered": 5, "requestsPerSecond": 0.5}),
    "the middle of three":              ([ended(ttft_s=each) for each in (0.9, 0.1, 0.2)],
                                         {"answered": 3, "requestsPerSecond": 0.3, "ttftSecondsP50": 0.2}),
    "only streams tell a first token":  ([ended(ttft_s=0.1, stream=False)], {"answered": 1, "requestsPerSecond": 0.1}),
    "an error is no answer":            ([ended(status=503)], {"failed": 1}),
    "hits are shares of all tokens":    ([ended(prompt=100, cached=90), ended(prompt=300, cached=10)],
                                         {"answered": 2, "requestsPerSecond": 0.2, "prefixHitRate": 0.25}),
    "unknown hits are not counted":     ([ended(prompt=100, cached=50), ended(prompt=900)],
                                         {"answered": 2, "requestsPerSecond": 0.2, "prefixHitRate": 0.5}),
}  # fmt: skip


@pytest.mark.parametrize(("requests", "said"), ROWS.values(), ids=ROWS)
def test_figures(requests, said):
    assert figures_of(*requests).document(105.0) == NOTHING | said


def test_an_answer_that_broke_off_has_failed():
    figures = figures_of(ended(), is_whole=False)

    assert (figures.answered, figures.failed) == (0, 1)


def test_what_is_long_ago_is_no_rate():
    assert figures_of(ended()).document(111.0)["requestsPerSecond"] == 0


def test_a_rate_of_more_answers_than_are_kept():
    figures = EndpointFigures()
    for number in range(2 * KEPT):
        figures.ended(ended(), 100 + number / 100, is_whole=True)

    assert figures.document(100 + (2 * KEPT - 1) / 100)["requestsPerSecond"] == pytest.approx(100, rel=0.01)
