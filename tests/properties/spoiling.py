"""Documents with anything anywhere: every path of a document, and what comes of a value put there."""

from contextlib import suppress

from hypothesis import strategies as st

from bayplan.framework.errors import InputError


def paths_of(value, path=()):
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in items:
        yield from paths_of(child, (*path, key))


def replace(holder, path, value):
    """Put a value at a path, unless an earlier one has taken the way there."""
    with suppress(KeyError, IndexError, TypeError):
        for step in path[:-1]:
            holder = holder[step]
        holder[path[-1]] = value


def refusal_of(work):
    """What an input was refused with; anything else that is raised fails the test."""
    try:
        work()
    except InputError as error:
        return error
    return None


def values_with(*odd):
    """Any small value of JSON, and these odd scalars among them."""
    scalars = st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=20), st.sampled_from(odd)
    )
    names = st.text(max_size=8) | st.integers()
    return st.recursive(
        scalars,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
        max_leaves=5,
    )
