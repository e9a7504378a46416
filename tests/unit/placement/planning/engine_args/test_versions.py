"""Versions of engines, and the flags that they know."""

import pytest

from bayplan.placement.planning.engine_args.flags import SGLANG, VLLM
from bayplan.placement.planning.engine_args.llama_cpp import LLAMA_CPP
from bayplan.placement.planning.engine_args.versions import SINCE, knows, release, version_warning

RELEASES = {
    "three numbers":       ("vllm", "0.11.2", (0, 11, 2)),
    "two":                 ("vllm", "0.11", (0, 11)),
    "a tag":               ("vllm", "v0.10.1", (0, 10, 1)),
    "before a release":    ("vllm", "0.11.0rc2", (0, 11, 0)),
    "of a vendor":         ("vllm", "0.11.0+cu128", (0, 11, 0)),
    "after a release":     ("sglang", "0.4.6.post3", (0, 4, 6)),
    "a build":             ("llama-cpp", "b4500", (4500,)),
    "a build as a number": ("llama-cpp", "4500", (4500,)),
    "a word":              ("vllm", "latest", None),
    "one number":          ("vllm", "11", None),
    "no build":            ("llama-cpp", "main", None),
}  # fmt: skip


@pytest.mark.parametrize(("engine", "version", "numbers"), RELEASES.values(), ids=RELEASES)
def test_numbers_of_a_version(engine, version, numbers):
    assert release(engine, version) == numbers


KNOWN = {
    "since then":      ("vllm", "0.11.0", "--kv-cache-memory-bytes", True),
    "before":          ("vllm", "0.10.2", "--kv-cache-memory-bytes", False),
    "not given":       ("vllm", None, "--kv-cache-memory-bytes", True),
    "not readable":    ("vllm", "nightly", "--kv-cache-memory-bytes", True),
    "an old flag":     ("vllm", "0.2.0", "--max-model-len", True),
    "an early build":  ("llama-cpp", "b2000", "--ubatch-size", False),
    "no table at all": ("sglang", "0.1.0", "--tp-size", True),
}  # fmt: skip


@pytest.mark.parametrize(("engine", "version", "flag", "known"), KNOWN.values(), ids=KNOWN)
def test_what_a_version_knows(engine, version, flag, known):
    assert knows(engine, version, flag) is known


def test_only_flags_that_are_passed_are_in_the_table():
    passed = {"vllm": VLLM, "sglang": SGLANG, "llama-cpp": LLAMA_CPP}

    for engine, flags in SINCE.items():
        assert flags.keys() <= {told.flag for told in passed[engine]}


def test_a_version_that_cannot_be_read_is_told():
    assert "'latest' is not known" in version_warning("vllm", "latest")
    assert version_warning("vllm", "0.11.0") is None
    assert version_warning("vllm", None) is None
    assert version_warning("custom", "mine") is None
