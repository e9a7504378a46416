"""Which metrics and labels a PromQL expression names: enough of the language for our own rules and panels."""

import re
from dataclasses import dataclass, field

_TOKEN = re.compile(
    r"""(?P<string>"(?:\\.|[^"\\])*")|(?P<range>\[[^\]]*\])|(?P<name>[a-zA-Z_:][a-zA-Z0-9_:]*)|(?P<matcher>=~|!~|!=|=)
    |(?P<number>\d+(?:\.\d+)?[smhdwy]?)|(?P<other>\S)""",
    re.VERBOSE,
)
_GROUPING = {"by", "without", "on", "ignoring", "group_left", "group_right"}
_WORDS = {"and", "or", "unless", "offset", "bool", *_GROUPING}


@dataclass
class Use:
    """One selector: the metric, its matchers, and the functions around it, the innermost first."""

    metric: str
    matchers: list[tuple[str, str, str]] = field(default_factory=list)
    functions: tuple[str, ...] = ()
    ranged: bool = False


def uses(expression):
    """Every selector of an expression, and every label of its groupings."""
    tokens = [(found.lastgroup, found[0]) for found in _TOKEN.finditer(expression)]
    selectors, labels, around, place = [], [], [], 0
    while place < len(tokens):
        kind, text = tokens[place]
        following = tokens[place + 1][1] if place + 1 < len(tokens) else ""
        if kind == "name" and text in _GROUPING and following == "(":
            end = tokens.index(("other", ")"), place)
            labels += [each for sort, each in tokens[place + 2 : end] if sort == "name"]
            place = end
        elif kind == "name" and text not in _WORDS:
            if following == "(" or following in _GROUPING:
                around.append(text)
                if following == "(":
                    place += 1
                else:
                    end = tokens.index(("other", ")"), place)
                    labels += [each for sort, each in tokens[place + 3 : end] if sort == "name"]
                    place = end + 1
                    assert tokens[place][1] == "(", expression
            else:
                use = Use(text, functions=tuple(reversed([each for each in around if each])))
                place = _matchers(tokens, place, use)
                use.ranged = place + 1 < len(tokens) and tokens[place + 1][0] == "range"
                selectors.append(use)
        elif text == "(":
            around.append("")
        elif text == ")":
            around.pop()
        place += 1
    assert not around, f"{expression}: a bracket is missing"
    return selectors, labels


def _matchers(tokens, place, use):
    if place + 1 >= len(tokens) or tokens[place + 1][1] != "{":
        return place
    end = tokens.index(("other", "}"), place)
    inside = [each for each in tokens[place + 2 : end] if each[1] != ","]
    for (_, label), (_, how), (_, value) in zip(inside[::3], inside[1::3], inside[2::3], strict=True):
        use.matchers.append((label, how, value[1:-1]))
    return end
