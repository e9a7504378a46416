"""The parameters of a request's query, read and checked."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from bayplan.api.status import Refusal
from bayplan.control.selection import Selection, parse_fields, parse_labels

if TYPE_CHECKING:
    from collections.abc import Mapping

_TRUE = ("1", "t", "T", "true", "TRUE", "True", "")
_FALSE = ("0", "f", "F", "false", "FALSE", "False")


class FieldValidation(StrEnum):
    """What happens to fields that are not known: refused, told in a warning, or dropped from notice."""

    STRICT = "Strict"
    WARN = "Warn"
    IGNORE = "Ignore"


@dataclass(frozen=True, slots=True)
class Query:
    """What the query of a request says, with the defaults of Kubernetes."""

    values: Mapping[str, str]

    def flag(self, name: str) -> bool:
        """A yes or no; a name without a value is yes."""
        if name not in self.values:
            return False
        value = self.values[name]
        if value in _TRUE:
            return True
        if value in _FALSE:
            return False
        raise Refusal(400, f"{name}: {value[:40]!r} is neither true nor false; write {name}=true")

    def number(self, name: str) -> int | None:
        """A whole number from 0 on; None where it is missing."""
        value = self.values.get(name, "")
        if not value:
            return None
        if not (value.isascii() and value.isdigit() and len(value) <= 18):  # 18 digits always fit 64 bits
            raise Refusal(400, f"{name}: {value[:40]!r} is no whole number from 0 on; write digits")
        return int(value)

    def text(self, name: str) -> str:
        return self.values.get(name, "")

    @property
    def dry_run(self) -> bool:
        value = self.values.get("dryRun", "")
        if value not in ("", "All"):
            raise Refusal(400, f"dryRun: {value[:40]!r} is not known; write dryRun=All", "Invalid")
        return value == "All"

    @property
    def field_validation(self) -> FieldValidation:
        value = self.values.get("fieldValidation", "")
        try:
            return FieldValidation(value) if value else FieldValidation.WARN
        except ValueError:
            known = ", ".join(FieldValidation)
            raise Refusal(400, f"fieldValidation: {value[:40]!r} is not known; use one of {known}") from None

    def selection(self) -> Selection:
        """Label and field selectors together."""
        return Selection(parse_labels(self.text("labelSelector")), parse_fields(self.text("fieldSelector")))
