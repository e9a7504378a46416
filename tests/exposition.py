"""The text format of Prometheus, read strictly: what a scraper would refuse is an error here."""

import math
import re
from dataclasses import dataclass

_NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
_SAMPLE = re.compile(rf"({_NAME})(?:\{{(.*)\}})? (\S+)$")
_LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)')
_SUFFIXES = {"histogram": ("_bucket", "_sum", "_count"), "counter": ("",), "gauge": ("",)}


@dataclass
class Exposition:
    """Values by name and labels, and the kind of each family."""

    samples: dict[tuple[str, frozenset[tuple[str, str]]], float]
    kinds: dict[str, str]

    def value(self, name, **labels):
        """The one sample of that name with these labels, whatever others it has."""
        (found,) = [value for (each, has), value in self.samples.items() if each == name and labels.items() <= has]
        return found

    def labels(self, name):
        (found,) = [dict(has) for each, has in self.samples if each == name]
        return found


def read_exposition(text):
    """Raises AssertionError where the text breaks the rules of the format."""
    assert text.endswith("\n")
    samples, kinds, helped, family = {}, {}, set(), ""
    for line in text.splitlines():
        if line.startswith("# HELP "):
            name = line.split(" ", 3)[2]
            assert name not in helped, f"{name} is described twice"
            helped.add(name)
        elif line.startswith("# TYPE "):
            _, _, family, kind = line.split(" ")
            assert family not in kinds, f"{family} has two types"
            kinds[family] = kind
        else:
            match = _SAMPLE.fullmatch(line)
            assert match, f"no sample: {line!r}"
            name, inner, number = match.groups()
            assert name in {family + suffix for suffix in _SUFFIXES[kinds[family]]}, f"{name} is not of {family}"
            labels = _labels(inner or "")
            assert (name, labels) not in samples, f"{line!r} comes twice"
            samples[name, labels] = float(number)
    assert helped == kinds.keys()
    for name, kind in kinds.items():
        if kind == "histogram":
            _check_histogram(name, samples)
    return Exposition(samples, kinds)


def _labels(text):
    found, at = {}, 0
    while at < len(text):
        match = _LABEL.match(text, at)
        assert match, f"no labels: {text!r}"
        assert match[1] not in found
        found[match[1]] = re.sub(r"\\(.)", lambda each: "\n" if each[1] == "n" else each[1], match[2])
        at = match.end()
    return frozenset(found.items())


def _check_histogram(name, samples):
    series = {}
    for (each, has), value in samples.items():
        if each == f"{name}_bucket":
            labels = dict(has)
            series.setdefault(frozenset(has - {("le", labels["le"])}), []).append((float(labels["le"]), value))
    for has, buckets in series.items():
        bounds, counts = [bound for bound, _ in buckets], [count for _, count in buckets]
        assert bounds == sorted(set(bounds))
        assert bounds[-1] == math.inf
        assert counts == sorted(counts)
        assert counts[-1] == samples[f"{name}_count", has]
        assert (f"{name}_sum", has) in samples
