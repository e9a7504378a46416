"""A bad configuration changes nothing, a good one everything."""

from __future__ import annotations

import pytest

from bayplan.framework.builtins import builtins
from bayplan.framework.config.reload import LiveScheduler
from bayplan.framework.config.scheduler_config import read_config, scheduler
from bayplan.framework.errors import ConfigError
from bayplan.framework.list_table import ListTable
from bayplan.framework.registry import Registry


class Tall:
    name = "tall"
    reads = ("height",)

    def score(self, ask, rows, cycle):
        return [height / 10 for height in rows.height]


class Small:
    name = "small"
    reads = ("height",)

    def score(self, ask, rows, cycle):
        return [1 - height / 10 for height in rows.height]


class Broad:
    name = "broad"
    reads = ("width",)

    def score(self, ask, rows, cycle):
        return list(rows.width)


TABLE = ListTable(state={"height": [3, 9]}, keys=["low", "high"])


def document(scorer, **more):
    return {
        "plugins": [{"type": "max-score"}, {"type": scorer}],
        "schedulingProfiles": [{"name": "default", "plugins": [{"pluginRef": scorer}, {"pluginRef": "max-score"}]}],
        **more,
    }


def live(scorer="tall"):
    known = Registry([*builtins(), Tall, Small, Broad])
    return LiveScheduler(
        document(scorer),
        read=lambda each: read_config(each, known),
        build=lambda config: scheduler(config, table=TABLE),
    )


def picked(holder):
    return holder.scheduler.schedule("x").picked[0].key


def test_a_good_document_takes_over():
    holder = live()
    before = holder.current

    assert picked(holder) == "high"
    assert holder.reload(document("small"))
    assert picked(holder) == "low"
    assert (before.generation, holder.generation) == (1, 2)
    assert before.built.schedule("x").picked[0].key == "high"
    assert holder.config is not before.config


REFUSED = {
    "unknown type":    (document("smal"), "no plugin is called 'smal'"),
    "unfit for table": (document("broad"), "width"),
    "no mapping":      ("small", "is not a mapping"),
}  # fmt: skip


@pytest.mark.parametrize(("refused", "message"), REFUSED.values(), ids=REFUSED)
def test_a_bad_document_changes_nothing(refused, message):
    holder = live()
    before = holder.current

    assert not holder.reload(refused)
    assert holder.current is before
    assert isinstance(holder.last_error, ConfigError)
    assert message in str(holder.last_error)
    assert picked(holder) == "high"


def test_a_good_document_clears_the_error():
    holder = live()
    holder.reload({})
    assert holder.last_error is not None
    holder.reload(document("small"))

    assert holder.last_error is None


def test_a_document_that_means_the_same_keeps_the_plugins_and_their_state():
    holder = live()
    before = holder.current
    holder.reload({})

    assert holder.reload(document("tall", onPluginError="fail"))
    assert holder.current is before
    assert holder.last_error is None


def test_the_first_document_must_be_good():
    with pytest.raises(ConfigError):
        live("tal")
