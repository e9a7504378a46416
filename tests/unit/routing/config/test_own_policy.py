"""Our own policy is a configuration like any other."""

import pytest

from bayplan.routing.config.own_policy import own_policy_document
from unit.routing.config.documents import problems, read, weights_of


@pytest.mark.parametrize("policy", ["early", "late"])
def test_it_decides_by_its_scorer(policy):
    document = own_policy_document(policy)

    assert read(document).own_policy == policy
    assert weights_of(document) == {
        "default": {"decode-filter": None, "prefill-cost-scorer": 1, "max-score-picker": None}
    }
    assert read(read(document).document()).own_policy == policy


def test_it_may_stand_beside_other_scorers():
    document = own_policy_document() | {"plugins": [{"type": "prefill-cost-scorer"}, {"type": "queue-scorer"}]}

    assert list(weights_of(document)["default"]) == ["prefill-cost-scorer", "queue-scorer", "max-score-picker"]


REFUSED = {
    "another word": ({"scheduler": "routing", "ownPolicy": "soon"}, "'soon'"),
    "without its scorer": (own_policy_document() | {"plugins": [{"type": "queue-scorer"}]}, "prefill-cost-scorer"),
}


@pytest.mark.parametrize(("document", "words"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused(document, words):
    assert words in problems(document)["ownPolicy"]
