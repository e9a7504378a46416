"""Documents that are small, or look harmless, and would cost an unguarded reader dearly."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

MIB = 1024 * 1024


def filled(unit: str, before: str = "", after: str = "") -> str:
    """One MiB of the same."""
    return before + unit * ((MIB - len(before) - len(after)) // len(unit)) + after


def alias_bomb() -> str:
    """Each line repeats the one before nine times; written out, it is 39 MB of JSON."""
    names = "abcdefgh"
    first = "a: &a [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n"
    return first + "".join(f"{name}: &{name} [{', '.join([f'*{last}'] * 9)}]\n" for last, name in pairwise(names))


def merge_chain() -> str:
    """Every mapping merges the one before and adds a key: quadratic when it is written out."""
    links = "".join(f"m{i}: &m{i} {{<<: *m{i - 1}, k{i}: {i}}}\n" for i in range(1, 2_000))
    return "m0: &m0 {k0: 0}\n" + links


# name: (the text, the place up to the path, words of the message)
CASES: dict[str, tuple[Callable[[], str | bytes], str, str]] = {
    "alias bomb": (alias_bomb, "f:6:", "more than 200,000 nodes"),
    "merge chain": (merge_chain, "f:447:", "more than 200,000 nodes"),
    "alias of a long text": (lambda: "- &a " + "x" * 1_000 + "\n" + "- *a\n" * 150_000, "f:1050:3", "aliases repeat"),
    "aliases, each deeper": (
        lambda: "- &a0 []\n" + "".join(f"- &a{i} [*a{i - 1}]\n" for i in range(1, 3_000)), "f:64:", "64 levels",
    ),
    "yaml: 3,000 lists deep": (lambda: "a: " + "[" * 3_000 + "]" * 3_000, "f:1:67", "64 levels"),
    "yaml: 1,400 mappings deep": (lambda: "".join(" " * i + "a:\n" for i in range(1_400)), "f:65:65", "64 levels"),
    "yaml: 3,000 dashes deep": (lambda: "- " * 3_000, "f:1:129", "64 levels"),
    "json: 3,000 lists deep": (lambda: "[" * 3_000 + "]" * 3_000, "f:1:", "64 levels"),
    "json: 3,000 objects deep": (lambda: '{"a":' * 3_000 + "1" + "}" * 3_000, "f:1:", "64 levels"),
    "json: 65 lists deep": (lambda: "[" * 65 + "]" * 65, "f:1:65: [0]", "64 levels"),
    "json: never closed": (lambda: "[" * MIB, "f:1", "more than 200,000 nodes"),
    "yaml: 400 kB integer": (lambda: "a: " + "7" * 400_000, "f:1:4: a", "an integer of 400,000 digits"),
    "yaml: 400 kB hexadecimal": (lambda: "a: 0x" + "7" * 400_000, "f:1:4: a", "an integer of 400,000 digits"),
    "json: 400 kB integer": (lambda: '{"a": ' + "7" * 400_000 + "}", "f:1:7", "an integer of 400,000 digits"),
    "json: 65-digit integer": (lambda: '{"a":\n' + "7" * 65 + "}", "f:1:2: a", "an integer of 65 digits"),
    "yaml: 64 MB": (lambda: "a: b\n" * (64 * MIB // 5), "f", "too large"),
    "json: 64 MB": (lambda: "[" + "1," * (32 * MIB) + "1]", "f", "too large"),
    "yaml: 2 MiB in one document": (lambda: "a: 1\n---\n" + "b: c\n" * (2 * MIB // 5), "f:2", "too large"),
    "yaml: key twice": (lambda: "a: 1\nb:\n  c: 1\n  c: 2\n", "f:4:3: b.c", "the key c is given twice"),
    "json: key twice": (lambda: '{"a": 1,\n "b": {"c": 1,\n "c": 2}}', "f:3:2: b.c", "the key c is given twice"),
    "json: key twice, once escaped": (lambda: '{"c": 1, "\\u0063": 2}', "f:1:10: c", "the key c is given twice"),
    "json: key twice behind 85,000 others": (
        lambda: "{" + ",".join(f'"k{i}":1' for i in range(85_000)) + ',"k0":1}', "f:1:923892: k0", "is given twice",
    ),
    "yaml: not a number": (lambda: "a: [1, .nan]", "f:1:8: a[1]", ".nan is not a finite number"),
    "yaml: infinity": (lambda: "a: -.inf", "f:1:4: a", "-.inf is not a finite number"),
    "yaml: 1e999": (lambda: "a: 1e999", "f:1:4: a", "1e999 is too large"),
    "json: NaN": (lambda: '{"a":\n NaN}', "f:2:2", "NaN is not a finite number"),
    "json: -Infinity": (lambda: '{"a": -Infinity}', "f:1:", "Infinity is not a finite number"),
    "json: -1e999": (lambda: '{"a": -1e999}', "f:1:7", "-1e999 is too large"),
    "yaml: escape sequence": (lambda: 'a: "\\e[2J"', "f:1:4: a", "U+001B"),
    "yaml: tagged escape sequence": (lambda: 'a: !!str "\\e[2J"', "f:1:", "U+001B"),
    "yaml: raw control character": (lambda: "é: b\na: \x07", "f:2:4", "U+0007"),
    "json: escape sequence": (lambda: '{"a":\n "\\u001b[2J"}', "f:2:3", "U+001B"),
    "json: a megabyte of backslashes": (lambda: filled("\\\\", '["', '\\u001b"]'), "f:1:1048569", "U+001B"),
    "json: half a surrogate pair": (lambda: '["\\ud800"]', "f:1:", "not valid"),
    "yaml: as dense as can be": (lambda: filled("- 1\n"), "f:", "too dense"),
    "yaml: keys as dense as can be": (lambda: "".join(f"k{i}: 1\n" for i in range(100_000))[:MIB], "f:", "too dense"),
    "yaml: empty documents": (lambda: filled("---\n"), "f:", "too dense"),
    "yaml: directives": (lambda: filled("%TAG !a! b\n"), "f", "begin with %"),
    "json: as dense as can be": (lambda: filled("1,", "[", "1]"), "f:1", "more than 200,000 nodes"),
    "json: empty lists": (lambda: filled("[],", "[", "1]"), "f:1", "more than 200,000 nodes"),
    "json: small objects": (lambda: filled('{"":1},', "[", "1]"), "f:1", "more than 200,000 nodes"),
    "json: cut off": (lambda: filled('{"name": "x"},', "[", ""), "f:1:", "not valid JSON"),
    "json: quotes that never close": (lambda: filled('{\\"'), "f:1", "not valid"),
    "not UTF-8": (lambda: b"a: b\nc: \xff", "f:2:4", "not UTF-8: the byte 0xFF"),
    "half a surrogate pair in a str": (lambda: "a: b\nc: \ud800", "f:2", "U+D800"),
}  # fmt: skip
