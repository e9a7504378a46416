import pytest

from bayplan.routing.answer import CODES, Answer
from bayplan.routing.requests.routed_request import RoutedRequest


@pytest.mark.parametrize("status", CODES)
def test_a_status_has_a_word_and_only_200_is_a_yes(status):
    answer = Answer(RoutedRequest("r"), status)

    assert (answer.code, answer.ok) == (CODES[status], status == 200)
