from __future__ import annotations

import pytest

from bayplan.cluster.workload import Backend, Shape
from bayplan.placement.answers.changes.flags import flag, with_value, without, written


def shape(*args):
    return Shape(backend=Backend("vllm", args))


def args(changed):
    return list(changed.backend.args)


WITHOUT = {
    "one word":             (("--a", "-tp=4", "b"), ["--a", "b"]),
    "two words":            (("--a", "-tp", "4", "b"), ["--a", "b"]),
    "a pair with a blank":  (("--tensor-parallel-size 4",), []),
    "given twice":          (("-tp", "4", "--x", "--tensor_parallel_size=8"), ["--x"]),
    "not given":            (("--x",), ["--x"]),
}  # fmt: skip


@pytest.mark.parametrize(("given", "left"), WITHOUT.values(), ids=WITHOUT)
def test_without(given, left):
    assert args(without(shape(*given), "tp")) == left


VALUES = {
    "one word":   (("--max-model-len=8192", "-tp=2"), ["--max-model-len=4096", "-tp=2"]),
    "two words":  (("-tp=2", "--max-model-len", "8192"), ["-tp=2", "--max-model-len=4096"]),
    "not given":  (("-tp=2",), ["-tp=2"]),
}  # fmt: skip


@pytest.mark.parametrize(("given", "left"), VALUES.values(), ids=VALUES)
def test_with_value(given, left):
    assert args(with_value(shape(*given), "context", "4096")) == left


def test_written_as_it_would_be_typed():
    assert written(shape("-tp", "4"), "tp") == "-tp=4"
    assert written(shape(), "tp") == ""


def test_no_backend_has_no_flags():
    assert flag(Shape(), "tp") is None
    assert without(Shape(), "tp") == with_value(Shape(), "tp", "2") == Shape()
