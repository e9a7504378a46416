"""Warnings are collected, and many alike are one."""

from bayplan.manifests.inventory.entry import Entry
from bayplan.manifests.inventory.notes import Notes
from bayplan.manifests.reader import Document

ENTRY = Entry({}, "Node", Document({}, "f"))


def test_told_with_their_place_in_order():
    notes = Notes()
    notes.add(ENTRY, "a.b", "is odd")
    notes.add(ENTRY, "", "is odd as a whole")

    assert notes.warnings == ("f: a.b: is odd", "f: is odd as a whole")


def test_alike_are_counted():
    notes = Notes()
    for number in range(1200):
        notes.add(ENTRY, "a", f"{number} is odd", "odd")
    notes.add(ENTRY, "b", "7 is odd", "odd")

    assert notes.warnings == ("f: a: 0 is odd (and 1,199 more like it)", "f: b: 7 is odd")


def test_worded_by_others_once():
    notes = Notes()
    notes.repeat("g: x")
    notes.repeat("g: x")

    assert notes.warnings == ("g: x",)
