"""Folders and config.pbtxt for Triton."""

import pytest

from bayplan.runtimes.servers.bookings import Booking, Wish
from bayplan.runtimes.servers.layouts.triton import instances, lay_out_for_triton, named

NAMED = {
    "another name": ('name: "old"\nbackend: "onnx"\n', 'name: "m_1"\nbackend: "onnx"\n'),
    "no name": ('backend: "onnx"\n', 'name: "m_1"\nbackend: "onnx"\n'),
    "names of inputs stay": (
        'input [ { name: "x" } ]\nname : \'old\'\n', 'input [ { name: "x" } ]\nname: "m_1"\n',
    ),
    "names in comments and texts stay": (
        '# name: "a"\nbackend: "name: b"\n', 'name: "m_1"\n# name: "a"\nbackend: "name: b"\n',
    ),
    "words that end so are others": ('file_name: "a"\n', 'name: "m_1"\nfile_name: "a"\n'),
}  # fmt: skip


@pytest.mark.parametrize(("config", "expected"), NAMED.values(), ids=NAMED)
def test_names(config, expected):
    assert named(config, "m_1") == expected


INSTANCES = {
    "none": ("", 1),
    "one group": ("instance_group [ { count: 2 kind: KIND_GPU } ]", 2),
    "two groups": ("instance_group [ { count: 2 }, { count: 3 } ]", 5),
    "a group without a count": ("instance_group [ { kind: KIND_CPU } ]", 1),
    "counts of others": ("dynamic { count: 9 }", 1),
}


@pytest.mark.parametrize(("config", "expected"), INSTANCES.values(), ids=INSTANCES)
def test_instances(config, expected):
    assert instances(config) == expected


def test_files_without_a_version_become_version_1(tmp_path):
    (tmp_path / "model.onnx").write_text("weights")
    (tmp_path / "config.pbtxt").write_text('name: "x"')

    lay_out_for_triton(tmp_path, Booking("m_1", Wish.SERVED), {})

    assert sorted(str(each.relative_to(tmp_path)) for each in tmp_path.rglob("*")) == [
        "1",
        "1/model.onnx",
        "config.pbtxt",
    ]
    assert (tmp_path / "config.pbtxt").read_text() == 'name: "m_1"'
