"""The list of rejection codes: complete, well-formed, and never renamed."""

from __future__ import annotations

import re

import pytest

from bayplan.cluster.rejections import REJECTION_CODES, REJECTIONS

# The names that other programs rely on; a new code is added here, none is ever taken away.
_CONTRACT = """
not-ready cordoned taint label-mismatch not-selected backend-unsupported gpu-count-short gpu-model-mismatch
gpu-memory-short gpu-compute-short mig-unavailable locality bandwidth-short numa-misaligned cpu-short ram-short
anti-affinity region carbon cost spot quota gang-short not-evaluated not-scored unknown-capacity unknown-need
domain-spread resource-short
"""
CONTRACT = _CONTRACT.split()

# Evicting others changes what is free, never what a worker is or what a workload says.
_CURABLE = """
gpu-count-short gpu-memory-short gpu-compute-short mig-unavailable locality bandwidth-short numa-misaligned
cpu-short ram-short resource-short anti-affinity quota gang-short domain-spread
"""
CURABLE = _CURABLE.split()


def test_every_code_of_the_contract_is_there():
    assert set(CONTRACT) <= set(REJECTIONS)


def test_a_code_that_is_not_in_the_contract_is_not_added_by_accident():
    assert set(REJECTIONS) <= set(CONTRACT)


def test_each_code_stands_once():
    assert len(REJECTION_CODES) == len(REJECTIONS) == len(CONTRACT)


@pytest.mark.parametrize("code", CONTRACT)
def test_eviction_cures_exactly_what_others_hold(code):
    assert REJECTIONS[code].curable is (code in CURABLE)


@pytest.mark.parametrize("rejection", REJECTION_CODES, ids=lambda rejection: rejection.code)
def test_a_code_is_kebab_case_and_says_what_helps(rejection):
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", rejection.code)
    assert rejection.meaning.endswith(".")
    assert rejection.meaning[0].isupper()
    assert rejection.next
    assert not rejection.next.endswith(".")
