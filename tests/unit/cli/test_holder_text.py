"""Who holds a worker, for people."""

from bayplan.cli.holder_text import holder_parts
from bayplan.cli.layout import Sheet

HOLDER = {
    "worker": "a", "namespace": "default", "workload": "w", "replica": 0, "priority": 0, "gpus": ["cuda:0"],
    "memory_mib": 1024, "cpu_milli": 0, "ram_mib": 2048, "resources": {},
}  # fmt: skip


def drawn(*holders):
    (sheet,) = (part for part in holder_parts(holders, (), wide=False) if isinstance(part, Sheet))
    return sheet.narrowed()


def test_resources_are_a_column_where_a_holder_has_some():
    sheet = drawn(HOLDER, {**HOLDER, "gpus": [], "resources": {"rdma/ib": 4}})

    assert sheet.header[-1] == "RESOURCES"
    assert [row[-1] for row in sheet.rows] == ["-", "rdma/ib: 4"]


def test_no_column_without_resources():
    assert drawn(HOLDER).header[-1] == "PRIORITY"
