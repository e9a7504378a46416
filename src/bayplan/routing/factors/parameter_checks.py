"""Checks of plugins' parameters: each says what is wrong, and the first thing that is wrong is raised."""

from __future__ import annotations

from bayplan.framework.errors import InputError, Problem


def refuse(*problems: Problem | None) -> None:
    """Raise the first problem of a plugin's parameters; None is no problem. Places are names of fields.

    One is enough: readers of documents make the plugin again without the field, and so find the others.
    """
    for each in problems:
        if each is not None:
            raise InputError(each.message, place=each.place, next=each.next)


def at_least(field: str, value: float, least: float) -> Problem | None:
    """A parameter with a lower bound."""
    return None if value >= least else Problem(field, f"{value} is below {least}", f"give {least} or more")


def above(field: str, value: float, bound: float) -> Problem | None:
    """A parameter that must be larger than a bound."""
    return None if value > bound else Problem(field, f"{value} is not above {bound}", f"give more than {bound}")


def at_most(field: str, value: float, most: float) -> Problem | None:
    """A parameter with an upper bound."""
    return None if value <= most else Problem(field, f"{value} is above {most}", f"give {most} or less")


def between(field: str, value: float, least: float, most: float) -> Problem | None:
    """A parameter with two bounds, both allowed."""
    fits = least <= value <= most
    return None if fits else Problem(field, f"{value} is not between {least} and {most}", f"give {least} to {most}")


def given(field: str, value: object, example: str) -> Problem | None:
    """A parameter that may not be empty."""
    return None if value else Problem(field, "is missing", f"give {example}")
