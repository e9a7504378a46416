"""Each check of a published model holds for one answer and fails for another."""

from __future__ import annotations

import pytest

from acceptance.case_files import CaseError
from acceptance.real_models import CHECKS, compare_model

ANSWER = {
    "weights_mib": 1000,
    "kv_mib": 100,
    "overhead_mib": 30,
    "activations_mib": 12,
    "per_gpu": [{"tp": 1, "pp": 1, "mib": 500}, {"tp": 2, "pp": 1, "mib": 300}, {"tp": 4, "pp": 2, "mib": 200}],
}

# kind of check: (a check that holds, one that does not)
ROWS = {
    "weights_gb":          ({"weights_gb": 1.05, "within": 1}, {"weights_gb": 1.04, "under": 10, "over": 0}),
    "kv_mib":              ({"kv_mib": 101, "within": 0}, {"kv_mib": 103, "within": 0}),
    "max_context":         ({"max_context": 77}, {"max_context": 78}),
    "tp_valid":            ({"tp_valid": [1, 2]}, {"tp_valid": [4]}),
    "tp_invalid":          ({"tp_invalid": [4]}, {"tp_invalid": [2]}),
    "card_without_kv_mib": ({"card_without_kv_mib": 305, "tp": 2, "within": 2},
                            {"card_without_kv_mib": 200, "tp": 4, "within": 2}),
    "overhead_mib":        ({"overhead_mib": 42, "within": 0}, {"overhead_mib": 30, "within": 0}),
}  # fmt: skip


def ask(**options):
    """The cache is that of 77 tokens where no context is given."""
    return {**ANSWER, "kv_mib": 1 + options["context"]} if options.get("context", 77) == 78 else ANSWER


def body(*checks, **facts):
    return {"id": "m", "source": "s", "files": {}, "checks": list(checks), **facts}


def test_every_check_has_a_row():
    assert set(ROWS) == set(CHECKS)


@pytest.mark.parametrize(("good", "bad"), ROWS.values(), ids=ROWS)
def test_check(good, bad):
    assert compare_model(body(good), "/m", ask) == []
    assert len(compare_model(body(bad), "/m", ask)) == 1


def test_the_call_says_what_the_check_says():
    calls = []

    def note(**options):
        calls.append(options)
        return ANSWER

    check = {"overhead_mib": 42, "within": 0, "args": ["--x"], "context": 5, "concurrency": 3}
    compare_model(body(check, backend="sglang", path="m.gguf"), "/m", note)

    backend = {"name": "sglang", "args": ["--x"]}
    assert calls == [{"path": "/m/m.gguf", "backend": backend, "context": 5, "concurrency": 3, "kvCache": 0}]


def test_unknown_is_a_failure():
    check = {"weights_gb": 1, "within": 1}

    assert compare_model(body(check), "/m", lambda **_: {**ANSWER, "weights_mib": None})


WRONG = {
    "no kind of check": {"why": "x"},
    "an unknown key":   {"tp_valid": [1], "color": 1},
    "no range":         {"kv_mib": 1},
}  # fmt: skip


@pytest.mark.parametrize("check", WRONG.values(), ids=WRONG)
def test_a_check_that_the_runner_does_not_know_is_an_error(check):
    with pytest.raises(CaseError):
        compare_model(body(check), "/m", ask)
