"""What is in memory: the least recently used leaves first."""

from bayplan.serving.books.ledger import Ledger
from bayplan.serving.following.residency import Residency
from unit.serving.builders import booking, replica, server


def on(memory, *sizes, **fields):
    ledger = Ledger([server("a", [replica(0, memory, overcommit_percent=500, **fields)])])
    models = [ledger.add(booking(f"m{n}", memory=mib)) for n, mib in enumerate(sizes)]
    return ledger.replica("a", 0), models


def names(models):
    return [each.key.name for each in models]


def test_what_fits_stays():
    book, models = on(100, 50, 50)
    residency = Residency()

    assert [residency.use(each, book) for each in models] == [[], []]
    assert all(each in residency for each in models)


def test_the_least_recently_used_leaves():
    book, models = on(100, 50, 50, 50)
    residency = Residency()
    for each in (models[0], models[1], models[0]):
        residency.use(each, book)

    assert names(residency.use(models[2], book)) == ["m1"]
    assert names(residency.use(models[1], book)) == ["m0"], "a request brings it back"


def test_as_many_leave_as_must_and_no_more():
    book, models = on(100, 30, 30, 30, 60)
    residency = Residency()
    for each in models[:3]:
        residency.use(each, book)

    assert names(residency.use(models[3], book)) == ["m0", "m1"]


def test_reserved_memory_is_not_for_models():
    book, models = on(100, 50, 50, reserved_mib=10)
    residency = Residency()
    residency.use(models[0], book)

    assert names(residency.use(models[1], book)) == ["m0"]


def test_unknown_memory_evicts_nobody():
    book, models = on(None, 50, 5000)
    residency = Residency()

    assert [residency.use(each, book) for each in models] == [[], []]


def test_what_is_gone_is_forgotten():
    book, models = on(100, 50)
    residency = Residency()
    residency.use(models[0], book)
    residency.forget(models)

    assert models[0] not in residency
