"""Patches made by comparing two documents give the second; applying twice is applying once; owners cover all fields."""

from __future__ import annotations

import copy

from hypothesis import given, strategies as st

from bayplan.api.patches.apply import apply
from bayplan.api.patches.field_rules import UNTYPED
from bayplan.api.patches.field_sets import difference, intersection, paths, union, union_of
from bayplan.api.patches.json_patch import json_patch
from bayplan.api.patches.json_values import same
from bayplan.api.patches.managed_fields import FieldManager, record_create, record_update, stripped
from bayplan.api.patches.merge_patch import merge_patch
from bayplan.api.patches.object_fields import all_fields
from bayplan.api.patches.strategic_merge import strategic_merge
from bayplan.api.status import Refusal
from kube_rules import POD

KEYS = st.sampled_from(["a", "b", "c", "x/y", "~"])
SCALARS = st.one_of(st.integers(0, 2), st.booleans(), st.sampled_from(["", "p", "q"]), st.just(1.0))
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3)),
    max_leaves=8,
)
MAPS = st.dictionaries(KEYS, VALUES, max_size=4)
WITH_NULLS = st.dictionaries(KEYS, st.one_of(st.none(), VALUES), max_size=4)


def keyed(key, names, **fields):
    """Lists of maps with a key of their own each."""
    item = st.fixed_dictionaries({}, optional=fields)
    return st.lists(st.tuples(st.sampled_from(names), item), max_size=3, unique_by=lambda each: each[0]).map(
        lambda items: [{key: name} | fields for name, fields in items]
    )


LABELS = st.dictionaries(st.sampled_from("ab"), st.sampled_from("12"), max_size=2)
CONTAINERS = keyed(
    "name",
    ["m", "n", "o"],
    image=st.sampled_from("12"),
    args=st.lists(st.sampled_from("xy"), max_size=2),
    env=keyed("name", ["A", "B", "C"], value=st.sampled_from("12")),
    resources=st.fixed_dictionaries({}, optional={"limits": LABELS}),
)
PODS = st.fixed_dictionaries(
    {
        "apiVersion": st.just("v1"),
        "kind": st.just("Pod"),
        "metadata": st.fixed_dictionaries(
            {"name": st.just("p")},
            optional={
                "labels": LABELS,
                "finalizers": st.lists(st.sampled_from("fgh"), unique=True, max_size=3),
            },
        ),
        "spec": st.fixed_dictionaries(
            {}, optional={"containers": CONTAINERS, "nodeSelector": LABELS, "priority": st.integers(0, 2)}
        ),
    }
)
RULES = {"of the schema": POD, "of nothing": UNTYPED}
NAMED_RULES = st.sampled_from(list(RULES))  # names, because rules are too large to be printed
MANAGERS = st.sampled_from(["one", "two", "three"])


def manager(name):
    return FieldManager(name, "v1", "2026-01-01T00:00:00Z")


def bare(document):
    """Without owners and without empty maps and lists, which merging may leave out."""
    document = copy.deepcopy(document)
    document["metadata"].pop("managedFields", None)
    return without_empty(document)


def without_empty(value):
    if isinstance(value, dict):
        found = {name: without_empty(each) for name, each in value.items()}
        return {name: each for name, each in found.items() if each not in ({}, [])}
    return [without_empty(each) for each in value] if isinstance(value, list) else value


def unordered(value):
    """Lists sorted: the order of items has no owner."""
    if isinstance(value, dict):
        return {name: unordered(each) for name, each in value.items()}
    return sorted(map(unordered, value), key=repr) if isinstance(value, list) else value


def json_changes(old, new, path=""):
    """A JSON patch from one document to another."""
    if same(old, new):
        return
    if not (isinstance(old, dict) and isinstance(new, dict)):
        yield {"op": "replace", "path": path, "value": new}
        return
    for name in old.keys() | new.keys():
        at = path + "/" + name.replace("~", "~0").replace("/", "~1")
        if name not in new:
            yield {"op": "remove", "path": at}
        elif name not in old:
            yield {"op": "add", "path": at, "value": new[name]}
        else:
            yield {"op": "test", "path": at, "value": old[name]}
            yield from json_changes(old[name], new[name], at)


def merge_changes(old, new):
    """A merge patch from one document to another."""
    changes = dict.fromkeys(old.keys() - new.keys())
    for name, value in new.items():
        if isinstance(old.get(name), dict) and isinstance(value, dict):
            changes[name] = merge_changes(old[name], value)
        elif name not in old or not same(old[name], value):
            changes[name] = value
    return changes


def strategic_changes(old, new, rules):
    """A strategic merge patch from one document to another, as kubectl makes it."""
    changes = dict.fromkeys(old.keys() - new.keys())
    for name, value in new.items():
        deeper = rules.of_field(name)
        if name not in old or type(old[name]) is not type(value):
            changes[name] = value
        elif isinstance(value, dict):
            changes[name] = strategic_changes(old[name], value, deeper)
        elif isinstance(value, list) and deeper.merged and value:
            changes |= list_changes(name, old[name], value, deeper)
        elif isinstance(value, list) and deeper.merged:
            changes[name] = [{"$patch": "replace"}] if deeper.merge_key else None
        else:
            changes[name] = value
    return changes


def list_changes(name, old, new, rules):
    key = rules.merge_key
    if not key:
        gone = [each for each in old if each not in new]
        return {f"$deleteFromPrimitiveList/{name}": gone, f"$setElementOrder/{name}": new, name: new}
    before = {each[key]: each for each in old}
    items = [
        strategic_changes(before[each[key]], each, rules.of_items()) | {key: each[key]} if each[key] in before else each
        for each in new
    ]
    wanted = [each[key] for each in new]
    items += [{key: each, "$patch": "delete"} for each in before if each not in wanted]
    return {f"$setElementOrder/{name}": [{key: each} for each in wanted], name: items}


@given(MAPS, MAPS)
def test_a_json_patch_made_of_two_documents_gives_the_second(old, new):
    assert same(json_patch(old, list(json_changes(old, new))), new)


@given(MAPS, MAPS)
def test_a_merge_patch_made_of_two_documents_gives_the_second(old, new):
    assert same(merge_patch(old, merge_changes(old, new)), new)


@given(WITH_NULLS, WITH_NULLS)
def test_a_merge_patch_twice_is_once(document, patch):
    once = merge_patch(document, patch)

    assert same(merge_patch(once, patch), once)


@given(PODS, PODS)
def test_a_strategic_merge_patch_made_of_two_documents_gives_the_second(old, new):
    assert without_empty(strategic_merge(old, strategic_changes(old, new, POD), POD)) == without_empty(new)


@given(PODS, PODS)
def test_a_strategic_merge_patch_twice_is_once(document, patch):
    once = strategic_merge(document, patch, POD)

    assert strategic_merge(once, patch, POD) == once


@given(NAMED_RULES, st.lists(st.tuples(MANAGERS, PODS), min_size=1, max_size=4))
def test_applying_again_changes_nothing(rules, steps):
    rules = RULES[rules]
    live = None
    for name, config in steps:
        live = apply(live, config, manager(name), rules, force=True)
        again = apply(live, config, manager(name), rules, force=False)
        assert bare(again) == bare(live)
        if "managedFields" in live["metadata"]:  # else nothing was named that can have an owner
            assert again["metadata"]["managedFields"] == live["metadata"]["managedFields"]


@given(NAMED_RULES, PODS, PODS)
def test_a_single_manager_gets_what_it_applies(rules, first, second):
    rules = RULES[rules]
    live = apply(apply(None, first, manager("one"), rules, force=False), second, manager("one"), rules, force=False)

    assert bare(live) == bare(second)


@given(NAMED_RULES, PODS, PODS)
def test_without_force_the_values_of_others_stay(rules, first, second):
    rules = RULES[rules]
    live = apply(None, first, manager("one"), rules, force=False)
    forced = apply(live, second, manager("two"), rules, force=True)
    try:
        after = apply(live, second, manager("two"), rules, force=False)
    except Refusal as refusal:
        answer = refusal
    else:
        assert forced == after
        again = apply(after, first, manager("one"), rules, force=False)
        assert unordered(bare(again)) == unordered(bare(after))
        return
    assert answer.code == 409
    assert answer.causes


@given(NAMED_RULES, st.lists(st.tuples(MANAGERS, PODS), min_size=1, max_size=4))
def test_every_field_of_an_updated_object_has_an_owner_and_nothing_else_has(rules, steps):
    rules = RULES[rules]
    (name, first), *others = steps
    live = copy.deepcopy(first)
    record_create(live, manager(name), rules)
    for name, document in others:
        new = copy.deepcopy(document)
        record_update(live, new, manager(name), rules)
        live = new
    owned = union_of(each["fieldsV1"] for each in live["metadata"].pop("managedFields", []))

    everything = all_fields(live, rules)
    everything.pop(".")
    assert set(paths(owned)) == set(paths(stripped(everything)))


@given(NAMED_RULES, PODS, PODS)
def test_sets_are_sets(rules, left, right):
    rules = RULES[rules]
    one, two = (all_fields(each, rules) for each in (left, right))
    one.pop("."), two.pop(".")
    mine, yours = set(paths(one)), set(paths(two))

    assert set(paths(union(one, two))) == mine | yours
    assert set(paths(difference(one, two))) == mine - yours
    assert set(paths(intersection(one, two))) == mine & yours
