"""Flags that say over how many cards an engine divides a model."""

from __future__ import annotations

import pytest

from bayplan.manifests.workloads.parallel_flags import read_flagged, warn_of_flags
from unit.manifests.opened import opened

WORDS = {
    "nothing": ([], None),
    "one card": (["--tensor-parallel-size", "1"], None),
    "two words": (["--tensor-parallel-size", "4"], 4),
    "one word": (["--tensor-parallel-size=4"], 4),
    "underscores": (["--tensor_parallel_size", "4"], 4),
    "short": (["-tp", "4", "-pp", "2", "-dp", "3"], 24),
    "SGLang": (["--tp-size", "8", "--pp-size=2", "--dp-size", "2"], 32),
    "SGLang, shorter": (["--tp", "8", "--dp=2"], 16),
    "data-parallel attention shares the cards": (["--tp", "8", "--dp", "8", "--enable-dp-attention"], 8),
    "the last counts": (["--tp=8", "--tensor-parallel-size", "2"], 2),
    "copies on one node": (["--data-parallel-size-local=4"], None),
    "a flag in a shell": (["sh", "-c", "exec vllm serve m --port 80 --tensor-parallel-size 8"], 8),
    "before a semicolon": (["sh", "-c", "vllm serve m -tp 8; sleep 1"], 8),
    "over several lines": (["bash", "-c", "vllm serve m \\\n  --tensor-parallel-size 4 \\\n  -pp 2\n"], 8),
    "a quote that is never closed": (["sh", "-c", "echo 'x && vllm serve m --tp 4"], 4),
    "a text inside quotes": (["sh", "-c", "vllm serve m --x='--tp 8' --tp 2"], 2),
    "no number": (["--tp", "auto"], None),
    "no value": (["--tp"], None),
    "none": (["--tp", "0"], None),
    "very many": (["--tp", "9" * 5000], None),
    "no texts": ([1, None, {"a": 1}, "--tp", 4, "--tp=2"], 2),
}


def container(words, **fields):
    return opened({"command": words[:2], "args": words[2:], **fields})


@pytest.mark.parametrize(("words", "cards"), WORDS.values(), ids=WORDS)
def test_cards(words, cards):
    found = read_flagged([container(words)])

    assert (found and found.cards) == cards


VARIABLES = {
    "of Kubernetes": "--tp=$(TP)",
    "of a shell": "sh -c --tp $TP",
    "of a shell, in braces": "sh -c --tp ${TP}",
}


@pytest.mark.parametrize("word", VARIABLES.values(), ids=VARIABLES)
def test_variables(word):
    env = [{"name": "TP", "value": "4"}, {"name": "X", "valueFrom": {}}, "odd", {"name": 1, "value": 2}]

    assert read_flagged([container([word], env=env)]).cards == 4
    assert read_flagged([container([word])]) is None
    assert read_flagged([container([word])], {"TP": "2"}).cards == 2


@pytest.mark.parametrize("odd", [None, 5, "--tp 8", {"--tp": 8}])
def test_a_command_that_is_no_list(odd):
    assert read_flagged([opened({"command": odd, "args": odd, "env": odd})]) is None


def test_of_several_containers_the_one_that_asks_for_most():
    found = read_flagged([container(["--tp=2"]), container(["--tp=8"]), container([])])

    assert (found.cards, found.sizes) == (8, "tensor parallel 8")


CARDS = {"fewer": (3, 1), "as many": (4, 0), "more": (8, 0)}


@pytest.mark.parametrize(("cards", "warnings"), CARDS.values(), ids=CARDS)
def test_only_more_than_there_are_is_told(cards, warnings):
    fields = container(["--tp=4"])
    warn_of_flags(read_flagged([fields]), cards, "the Pod requests")

    assert len(fields.findings.warnings) == warnings
