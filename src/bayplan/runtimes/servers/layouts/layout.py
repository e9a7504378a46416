"""Lays out the files of a model for the server that is to load it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.runtimes.servers.layouts.mlserver import lay_out_for_mlserver
from bayplan.runtimes.servers.layouts.triton import lay_out_for_triton

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from bayplan.runtimes.servers.bookings import Booking

    LayOut = Callable[[Path, Booking, Mapping[str, str]], int]
    """Takes the folder of the files, the booking and the server's environment; answers the number of instances."""


def _as_it_is(folder: Path, booking: Booking, env: Mapping[str, str]) -> int:
    return 1


_BY_BACKEND: Mapping[str, LayOut] = {"mlserver": lay_out_for_mlserver, "triton": lay_out_for_triton}


def layout_of(backend: str) -> LayOut:
    """The layout of a kind of server; others than MLServer and Triton get the files as they are."""
    return _BY_BACKEND.get(backend, _as_it_is)
