"""Flow control of a configuration: its section with every default filled in, and the detector, which counts anyway."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from bayplan.framework.config.place import Place
from bayplan.routing.flow.flow_settings import BandSettings, FlowSettings
from bayplan.routing.plugin_kinds import DETECTOR, FAIRNESS, ORDERING, USAGE_LIMIT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.framework.config.declarations import Declaration, Declarations
    from bayplan.framework.config.findings import Findings

REQUEST_TTL_S: Final = 60.0
BAND_BYTES: Final = 10**9
BAND_REQUESTS: Final = 5000

_DETECTOR: Final = "utilization-detector"
_FAIRNESS: Final = "global-strict-fairness-policy"
_ORDERING: Final = "fcfs-ordering-policy"
_USAGE_LIMIT: Final = "static-usage-limit-policy"
_PLACE: Final = Place(("flowControl",))


@dataclass(frozen=True, slots=True)
class Band:
    """A band's settings, with the entries of `plugins` themselves."""

    max_bytes: int
    max_requests: int
    fairness: Declaration
    ordering: Declaration

    def filled(self, values: Mapping[str, Any]) -> Band:
        """This band with what the document says; a limit of 0 says nothing, as in the originals."""
        return Band(
            values.get("max_bytes") or self.max_bytes,
            values.get("max_requests") or self.max_requests,
            values.get("fairness", self.fairness),
            values.get("ordering", self.ordering),
        )

    def made(self) -> BandSettings:
        return BandSettings(self.max_bytes, self.max_requests, self.fairness.plugin, self.ordering.plugin)

    def document(self) -> dict[str, Any]:
        return {
            "maxBytes": self.max_bytes,
            "maxRequests": self.max_requests,
            "fairnessPolicyRef": self.fairness.name,
            "orderingPolicyRef": self.ordering.name,
        }


@dataclass(frozen=True, slots=True)
class FlowControl:
    """The section; of `values` its plain numbers are used."""

    values: Mapping[str, Any]
    detector: Declaration
    default_band: Band
    default_negative_band: Band
    bands: Mapping[int, Band]
    usage_limit: Declaration

    @property
    def band_policy(self) -> Declaration | None:
        return self.values.get("band_policy")

    @property
    def request_ttl_s(self) -> float:
        return _seconds(self.values, "request_ttl", REQUEST_TTL_S)

    @property
    def no_endpoint_ttl_s(self) -> float:
        return _seconds(self.values, "no_endpoint_ttl", self.request_ttl_s)

    @property
    def policies(self) -> list[Declaration]:
        """Every policy that is used."""
        bands = (self.default_band, self.default_negative_band, *self.bands.values())
        chosen = [] if self.band_policy is None else [self.band_policy]
        return [self.usage_limit, *chosen, *(each for band in bands for each in (band.fairness, band.ordering))]

    def made(self) -> FlowSettings:
        """The settings with the plugins that were made."""
        return FlowSettings(
            max_bytes=self.values.get("max_bytes") or None,
            max_requests=self.values.get("max_requests") or None,
            request_ttl_s=_or_never(self.request_ttl_s),
            no_endpoint_ttl_s=_or_never(self.no_endpoint_ttl_s),
            bands={priority: band.made() for priority, band in self.bands.items()},
            default_band=self.default_band.made(),
            default_negative_band=self.default_negative_band.made(),
            usage_limit=self.usage_limit.plugin,
            enable_eviction=self.values.get("enable_eviction", False),
            band_policy=None if self.band_policy is None else self.band_policy.plugin,
        )

    def document(self) -> dict[str, Any]:
        """The section with every default filled in."""
        listed = [{"priority": priority, **band.document()} for priority, band in self.bands.items()]
        return {
            "maxBytes": self.values.get("max_bytes") or None,
            "maxRequests": self.values.get("max_requests") or None,
            "defaultRequestTTLSeconds": self.request_ttl_s,
            "noEndpointRequestTTLSeconds": self.no_endpoint_ttl_s,
            "priorityBands": listed,
            "defaultPriorityBand": self.default_band.document(),
            "defaultNegativePriorityBand": self.default_negative_band.document(),
            "usageLimitPolicyPluginRef": self.usage_limit.name,
            **({} if self.band_policy is None else {"bandSelectionPolicyPluginRef": self.band_policy.name}),
            "saturationDetector": {"pluginRef": self.detector.name},
            "enableEviction": self.values.get("enable_eviction", False),
        }


def read_flow_control(values: Mapping[str, Any], detector: Declaration, plugins: Declarations) -> FlowControl:
    """The section of a configuration whose gate is on and that has no problem."""
    told = values.get("default_band", {})
    fairness = told.get("fairness") or _default(_FAIRNESS, FAIRNESS, plugins)
    ordering = told.get("ordering") or _default(_ORDERING, ORDERING, plugins)
    default = Band(BAND_BYTES, BAND_REQUESTS, fairness, ordering).filled(told)
    negative = default.filled(values.get("default_negative_band", {}))
    bands = {
        each.get("priority", 0): (default if each.get("priority", 0) >= 0 else negative).filled(each)
        for each in values.get("bands", ())
    }
    limit = values.get("usage_limit") or _default(_USAGE_LIMIT, USAGE_LIMIT, plugins)
    return FlowControl(values, detector, default, negative, bands, limit)


def check_flow_control(values: Mapping[str, Any], findings: Findings) -> None:
    """Say which bands are listed twice."""
    found: dict[int, int] = {}
    bands = values.get("bands", ())
    for number, band in enumerate(bands if isinstance(bands, list) else ()):
        former = found.setdefault(band.get("priority", 0), number)
        if former != number:
            place = _PLACE.at("priorityBands").at(number).at("priority")
            message = f"{band.get('priority', 0)} is the priority of flowControl.priorityBands[{former}] too"
            findings.add(place, message, "keep one of them")


def find_detector(flow: Mapping[str, Any], old: Declaration | None, plugins: Declarations) -> Declaration:
    """The detector that the document names, in its new place or in its old one, else the default."""
    named = flow.get("detector")
    return named["plugin_ref"] if named else old or _default(_DETECTOR, DETECTOR, plugins)


def warn_of_closed_gate(values: Mapping[str, Any], findings: Findings) -> None:
    """Say that the section is ignored, unless it only names the detector."""
    if values.keys() - {"detector"}:
        message = "flowControl is ignored, all but its saturationDetector: the feature gate flowControl is off"
        findings.warn(_PLACE, message, "write featureGates: [flowControl]")


def _default(type_name: str, kind: str, plugins: Declarations) -> Declaration:
    return plugins.ensure(plugins.registry.find(type_name), kind)


def _seconds(values: Mapping[str, Any], name: str, default: float) -> float:
    """A time as text or, in our own documents, as a number."""
    found: float = values.get(f"{name}_s", values.get(f"{name}_number", default))
    return found


def _or_never(seconds: float) -> float | None:
    return seconds if seconds > 0 else None
