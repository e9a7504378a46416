from types import SimpleNamespace

import pytest

from bayplan.framework.contract_check import assert_contract
from bayplan.framework.errors import PluginError
from bayplan.framework.filters.subset import Subset
from bayplan.framework.list_table import ListTable
from bayplan.framework.table import Table
from unit.framework.builders import scheduler

STORAGES = pytest.mark.parametrize("kind", [Table, ListTable])
ADDRESSES = ["10.0.0.1:80", "10.0.0.11:80", "10.0.0.2:80"]


def endpoints(kind):
    return kind(static={"address": ADDRESSES}, keys=["a", "b", "c"])


def outcome(kind, subject, **more):
    return scheduler(Subset(), on=endpoints(kind), **more).schedule(subject, "ask", explained=True)


SUBSETS = {
    "no word of it": (SimpleNamespace(), [0, 1, 2]),
    "none given": (SimpleNamespace(subset=None), [0, 1, 2]),
    "nobody": (SimpleNamespace(subset=()), []),
    "one": (SimpleNamespace(subset=frozenset({"10.0.0.11:80"})), [1]),
    "some, and one that is not there": (SimpleNamespace(subset={"10.0.0.2:80", "10.0.0.1:80", "10.0.0.9:80"}), [0, 2]),
    "a list": (SimpleNamespace(subset=["10.0.0.1:80"]), [0]),
}  # fmt: skip


@STORAGES
@pytest.mark.parametrize(("subject", "left"), SUBSETS.values(), ids=SUBSETS)
def test_what_the_subject_names_is_left(kind, subject, left):
    assert [each.row for each in outcome(kind, subject).explanations["p"].ranked()] == left


@STORAGES
def test_without_a_subset_it_takes_no_part(kind):
    without, named = (outcome(kind, SimpleNamespace(subset=subset)) for subset in (None, ()))

    assert without.explanations["p"].inactive == ("subset",)
    assert named.explanations["p"].inactive == ()


@STORAGES
def test_a_refusal_says_how_many_were_named(kind):
    explanation = outcome(kind, SimpleNamespace(subset={"10.0.0.1:80"})).explanations["p"]

    (reason,) = explanation.rejections()[1]
    assert (reason.code, reason.curable) == ("not-in-subset", False)
    assert reason.message == "not one of the 1 candidates that the subject names"


@STORAGES
def test_subsets_of_one_ask_do_not_mix(kind):
    mine = scheduler(Subset(), on=endpoints(kind))
    asked = [mine.schedule(SimpleNamespace(subset={address}), "ask").picked[0].row for address in ADDRESSES]

    assert asked == [0, 1, 2]


@STORAGES
def test_a_text_is_no_subset_even_where_broken_plugins_are_skipped(kind):
    with pytest.raises(PluginError, match=r"plugin subset: the subset is the text '10\.0\.0\.11:80'; give a set"):
        outcome(kind, SimpleNamespace(subset="10.0.0.11:80"), skip_broken=True)


@STORAGES
def test_any_column_may_hold_what_is_named(kind):
    table = kind(static={"rack": [1, 2, 1]})
    found = scheduler(Subset("rack"), on=table).schedule(SimpleNamespace(subset={2}), "ask")

    assert found.picked[0].row == 1


@STORAGES
def test_it_keeps_the_contract(kind):
    assert_contract(Subset(), endpoints(kind), ["ask"], subject=SimpleNamespace(subset={"10.0.0.1:80"}))
