"""Every code that a plan of a model can tell is described."""

from bayplan.serving.rejections import SERVING_REJECTIONS

CONTRACT = {
    "no-replicas", "not-shared", "pinned-elsewhere", "server-deleted", "dedicated", "replicas-short",
    "capability-missing", "explainer-missing", "memory-short", "unknown-capacity", "preloaded", "draining",
    "load-failed", "leaving",
}  # fmt: skip


def test_the_codes_are_those_of_the_contract():
    assert set(SERVING_REJECTIONS) == CONTRACT


def test_each_says_what_it_means_and_what_helps():
    for each in SERVING_REJECTIONS.values():
        assert each.meaning.endswith(".")
        assert each.next
        assert not each.next.endswith(".")
