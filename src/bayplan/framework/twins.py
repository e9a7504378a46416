"""A plugin's scalar form, for one row: written into loops where a call over arrays would cost more than its work.

NumPy stays the definition. A plugin may add `twin(ask, shared) -> Twin | None`, and the contract check compares both
forms bit for bit. `shared` holds the shared values that the plugin declared in its `reads`. None says that there is no
scalar form for this ask; then the whole profile is asked over arrays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from bayplan.framework.errors import PluginError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class Twin(NamedTuple):
    """A pure function of one row, and the numbers of the ask that it is called with.

    It is called as `function(*constants, *values)`. `values` are the row's values in the columns `reads`, in that
    order; without `reads`, those of all the plugin's own `reads`. A column of two dimensions is handed over as one row
    of it (a sequence of numbers), a shared value as it is. A filter's function returns a bool, a scorer's a float, a
    producer's the values of its columns in the order of `produces`: a tuple, or the bare value where there is only one.
    Only a plugin of one kind (filter, scorer or producer) can have a twin.

    The function is defined at the top of a module, has plain parameters, and uses only numbers, arithmetic,
    comparisons, `min`, `max`, `abs`, `len`, `range`, `zip`, `int`, `float`, `bool`, numbers that its module defines,
    and other such functions. One `return` of one expression is best: it is written into the loop without a call. Which
    functions a profile's twins have decides which code is written; `constants` change with the ask and cost no new
    code, so keep their types the same (numbers, or arrays of numbers).
    """

    function: Callable[..., Any]
    constants: tuple[Any, ...] = ()
    reads: tuple[str, ...] | None = None


def passes() -> bool:
    """The twin of a filter that lets every row pass this ask: `Twin(passes, reads=())`."""
    return True  # pragma: no mutate (loops are written from its text, which a mutant hides)


EVERY_ROW = Twin(passes, reads=())


_METHODS = ("mask", "score", "produce")


def has_twin(plugin: Any) -> bool:
    """Whether a plugin may have a scalar form; one that is several things (a filter and a scorer, say) has none."""
    return hasattr(plugin, "twin") and sum(hasattr(plugin, method) for method in _METHODS) == 1


def twin_of(plugin: Any, ask: Any, shared: Mapping[str, Any]) -> Twin | None:
    """The plugin's scalar form for this ask with its `reads` filled in; None where it has none."""
    if not has_twin(plugin):
        return None
    found = plugin.twin(ask, shared)
    if found is None:
        return None
    if type(found) is not Twin:
        raise PluginError(plugin.name, f"has a twin that is a {type(found).__name__}", next="return a Twin, or None")
    if found.reads is None:
        return found._replace(reads=tuple(plugin.reads))
    if unknown := set(found.reads).difference(plugin.reads):
        message = f"has a twin that reads {sorted(unknown)}, which the plugin does not"
        raise PluginError(plugin.name, message, next="name only columns of its `reads`")
    return found
