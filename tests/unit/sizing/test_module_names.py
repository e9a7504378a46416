import time

import pytest

from bayplan.sizing.module_names import ModuleNames

NAME = "model.layers.3.self_attn.q_proj"

ENTRIES = {
    "inside of a wrapper":       ("model.language_model.layers.3.self_attn.q_proj", True),
    "behind a wrapper":          ("language_model.model.layers.3", True),
    "the module itself":         (NAME, True),
    "a prefix up to a dot":      ("model.layers.3", True),
    "a prefix that is none":     ("model.layers.30", False),
    "half a word":               ("model.layers.3.self", False),
    "its last words":            ("self_attn.q_proj", True),
    "its last word":             ("q_proj", True),
    "a word of it":              ("self_attn", True),
    "another word":              ("k_proj", False),
    "a star at the end":         ("model.layers.3.*", True),
    "a star inside":             ("model.layers.*.self_attn", True),
    "a star before":             ("*q_proj", True),
    "a star before another":     ("*k_proj", False),
    "stars around":              ("*self_attn*", True),
    "a pattern":                 (r"re:.*self_attn.*", True),
    "a pattern with a choice":   (r"re:.*self_attn\.(q|k)_proj$", True),
    "a pattern with a number":   (r"re:model\.layers\.\d+\.self_attn", True),
    "a pattern begins at the start": ("re:self_attn", False),
    "a pattern of another":      (r"re:.*mlp\.(gate|up|gate_up|down)_proj.*", False),
    "a class":                   (r"re:.*layers\.[0-3]\..*", True),
}  # fmt: skip


@pytest.mark.parametrize(("entry", "held"), ENTRIES.values(), ids=ENTRIES)
def test_what_an_entry_means(entry, held):
    names = ModuleNames([entry])

    assert names.hold(NAME) is held
    assert not names.too_many


def test_nothing_holds_nothing():
    assert not ModuleNames([]).hold(NAME)
    assert not ModuleNames([])


@pytest.mark.parametrize(
    "entry", ["re:(a*)*$", "re:(.*)*x", "re:(a|aa)+$", "re:[a-z]*[a-z]*x", "re:(", "re:" + "a" * 500]
)
def test_a_pattern_that_could_take_for_ever_is_not_tried(entry):
    assert ModuleNames([entry]).too_many


def test_many_wildcards_take_no_time():
    started = time.process_time()
    names = ModuleNames(["re:" + ".*a" * 60 + "$", "*".join("a" * 60)])

    assert not names.hold("a" * 55 + "b")
    assert time.process_time() - started < 1
