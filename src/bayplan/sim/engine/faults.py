"""What can be made to go wrong in a simulated engine, by flags and while it runs."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from bayplan.framework.errors import InputError
from bayplan.framework.nearest import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping

FAIL_STATUSES: Final = (429, 500, 503)
LONGEST_S: Final = 86_400.0  # a day: longer is a mistake in the unit


class MetricsFault(StrEnum):
    """What `/metrics` shows."""

    LIVE = "live"
    FROZEN = "frozen"
    NAN = "nan"


@dataclass(frozen=True, slots=True)
class Faults:
    """The faults in force. `None` and 0 mean: none of this kind."""

    fail_rate: float = 0.0
    fail_status: int = 500
    slowdown: float = 1.0
    hang: bool = False
    mute: bool = False
    crash_after_requests: int | None = None
    crash_after_tokens: int | None = None
    cut_after_tokens: int | None = None
    unready_s: float = 0.0
    refuse_s: float = 0.0
    metrics: MetricsFault = MetricsFault.LIVE

    def __post_init__(self) -> None:
        _within("fail_rate", self.fail_rate, 0.0, 1.0)
        _within("slowdown", self.slowdown, 0.001, 1e6)
        _within("unready_s", self.unready_s, 0.0, LONGEST_S)
        _within("refuse_s", self.refuse_s, 0.0, LONGEST_S)
        if self.fail_status not in FAIL_STATUSES:
            raise InputError(
                f"{self.fail_status} is not one of {', '.join(map(str, FAIL_STATUSES))}", place="fail_status"
            )
        for name in ("crash_after_requests", "crash_after_tokens", "cut_after_tokens"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise InputError(f"{value} is less than 1", place=name, next="null means never")

    def changed(self, document: Mapping[str, Any]) -> Faults:
        """These faults with what a document says; fields that it leaves out stay as they are."""
        given = {name: _read(name, value) for name, value in document.items()}
        return replace(self, **given)

    def as_dict(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}


_TYPES: Final[dict[str, tuple[type, ...]]] = {
    "fail_rate": (float, int),
    "fail_status": (int,),
    "slowdown": (float, int),
    "hang": (bool,),
    "mute": (bool,),
    "crash_after_requests": (int, type(None)),
    "crash_after_tokens": (int, type(None)),
    "cut_after_tokens": (int, type(None)),
    "unready_s": (float, int),
    "refuse_s": (float, int),
    "metrics": (str,),
}


def _read(name: str, value: Any) -> Any:
    types = _TYPES.get(name)
    if types is None:
        raise InputError("there is no such fault", place=name[:80], next=did_you_mean(name, _TYPES))
    if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
        words = " or ".join("null" if each is type(None) else each.__name__ for each in types)
        raise InputError(f"must be {words}", place=name)
    if name == "metrics":
        if value not in list(MetricsFault):
            raise InputError(f"must be one of {', '.join(MetricsFault)}", place=name)
        return MetricsFault(str(value))
    return value


def _within(name: str, value: float, least: float, most: float) -> None:
    if not least <= value <= most:
        raise InputError(f"{value} is not between {least:g} and {most:g}", place=name)
