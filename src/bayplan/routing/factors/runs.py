"""Runs of profiles: how a handler asks for one, and for as many endpoints as its picker is set to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.framework.plugins import Run

if TYPE_CHECKING:
    from bayplan.framework.outcome import Decision
    from bayplan.framework.plugins import Want
    from bayplan.framework.profile import Profile


def run_of(profile: Profile, answer: Decision | None = None) -> Run:
    """One run of the profile; `answer` is the decision where nothing but this run matters once it has picked."""
    want: Want | None = getattr(profile.picker, "want", None)
    return Run(profile.name, want=None if want is None or want.desired == 1 else want, answer=answer)
