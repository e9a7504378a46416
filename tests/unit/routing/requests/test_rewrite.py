import pytest

from bayplan.routing.requests.rewrite import Rewrite, RewriteTable, Rule, Target


def rewrite(name, created_s, models, *targets):
    return Rewrite(name, created_s, (Rule(frozenset(models), tuple(Target(*target) for target in targets)),))


TABLE = [
    rewrite("catch-all", 1.0, (), ("other",)),
    rewrite("late", 3.0, ("old",), ("second",)),
    rewrite("early", 2.0, ("old",), ("first",)),
]

FOUND = {
    "named by two documents: the older one": ("old", "first"),
    "named by none: the catch-all": ("new", "other"),
    "no model: the catch-all": (None, "other"),
}


@pytest.mark.parametrize(("model", "target"), FOUND.values(), ids=FOUND)
def test_which_rule_counts(model, target):
    choice = RewriteTable(TABLE).find(model)

    assert choice is not None
    assert choice.drawn(lambda n: 0) == target


def test_no_rule():
    assert RewriteTable().is_empty
    assert RewriteTable([rewrite("a", 1.0, ("x",), ("y",))]).find("z") is None
    assert RewriteTable([rewrite("a", 1.0, ("x",), ("y",))]).find(None) is None


DRAWN = {
    "even without weights": ((("a",), ("b",)), 2, ["a", "b"]),
    "in proportion to weights": ((("a", 1), ("b", 3)), 4, ["a", "b", "b", "b"]),
    "a weight of 0 is never drawn": ((("a", 0), ("b", 2)), 2, ["b", "b"]),
    "only those with a weight": ((("a", 1), ("b",)), 1, ["a"]),
}


@pytest.mark.parametrize(("targets", "total", "drawn"), DRAWN.values(), ids=DRAWN)
def test_weights(targets, total, drawn):
    choice = RewriteTable([rewrite("w", 1.0, ("m",), *targets)]).find("m")

    assert [choice.drawn(lambda n, number=number: number % n) for number in range(total)] == drawn


def test_a_target_without_a_weight_beside_others_is_told():
    choice = RewriteTable([rewrite("w", 1.0, ("m",), ("a", 1), ("b",))]).find("m")

    assert choice.warning == "rewrite w: b has no weight beside targets that have one: it gets no request"
