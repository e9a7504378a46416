"""How metrics are written: the text format of Prometheus, and OpenMetrics, which has other headings and an end."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from bayplan.telemetry.metrics.definition import Kind

if TYPE_CHECKING:
    from bayplan.telemetry.metrics.definition import Definition

_TOTAL = "_total"


class Style(Enum):
    """A format by its media type."""

    PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8"
    OPENMETRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8"


def accepted_style(header: str) -> Style:
    """OpenMetrics where the client names it, as Prometheus does; else what every collector reads."""
    return Style.OPENMETRICS if "application/openmetrics-text" in header.lower() else Style.PROMETHEUS


def heading(about: Definition, style: Style) -> str:
    """The two lines before the series of a metric."""
    name = about.name
    if style is Style.OPENMETRICS and about.kind is Kind.COUNTER:
        name = name.removesuffix(_TOTAL)  # there the suffix belongs to the sample, and not to the metric
    return f"# HELP {name} {_help(about.help, style)}\n# TYPE {name} {about.kind}\n"


def ending(style: Style) -> str:
    """What comes after the last metric."""
    return "# EOF\n" if style is Style.OPENMETRICS else ""


def series(name: str, labels: tuple[str, ...], values: tuple[str, ...]) -> str:
    """`name{label="value",…}`, with what has a meaning inside quotes escaped."""
    if not labels:
        return name
    pairs = ",".join([f'{label}="{escaped(value)}"' for label, value in zip(labels, values, strict=True)])
    return f"{name}{{{pairs}}}"


def escaped(value: str) -> str:
    """A label's value as it stands inside its quotes."""
    return value.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')


def number(value: float) -> str:
    """A number as both formats read it."""
    if type(value) is int:
        return str(value)
    if value != value:  # noqa: PLR0124 (only NaN differs from itself)
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "+Inf" if value > 0 else "-Inf"
    return repr(float(value))


def _help(text: str, style: Style) -> str:
    text = text.replace("\\", "\\\\").replace("\n", "\\n")
    return text.replace('"', '\\"') if style is Style.OPENMETRICS else text
