"""Everything that a gateway hears of the world, put together after its configuration."""

from __future__ import annotations

import ssl
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bayplan.routing.endpoints.ejection import Ejections, EjectionSettings
from bayplan.routing.exposition.engine import ENGINE_LABELS
from bayplan.routing.factors.duration import seconds_of
from bayplan.routing.prefix.precise import PreciseMatching
from bayplan.routing.sources.core_metrics_extractor import CoreMetricsExtractor
from bayplan.routing.sources.dcgm_data_source import DcgmDataSource
from bayplan.routing.sources.file_discovery import FileDiscovery as FileDiscoveryPlugin
from bayplan.routing.sources.metrics_data_source import MetricsDataSource
from bayplan.routing.sources.models_data_source import ModelsDataSource
from bayplan.signals.address_guard import AddressGuard
from bayplan.signals.directory import Directory
from bayplan.signals.discovery.endpoints_file import FileDiscovery
from bayplan.signals.endpoint_health import EndpointHealth
from bayplan.signals.http_source import FetchLimits
from bayplan.signals.kv_events.settings import KvEventSettings
from bayplan.signals.scraping.engine_choice import EngineChoice
from bayplan.signals.scraping.gpu_utilization import ATTRIBUTE, gpu_utilization
from bayplan.signals.scraping.pace import ScrapeSettings
from bayplan.signals.scraping.scraper import MetricsPath, Scraper
from bayplan.signals.scraping.served_models import ServedModels, served_models
from bayplan.signals.scraping.side_source import SideSource

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bayplan.routing.config.routing_config import RoutingConfig
    from bayplan.routing.endpoints.endpoint import Endpoint
    from bayplan.signals.directory import Follower
    from bayplan.signals.kv_events.subscriptions import KvSubscriptions
    from bayplan.signals.router_port import RouterPort

_LEAST_S = 0.1  # between two questions of a second source
_MODELS_S = 10.0  # models of an engine change when somebody loads an adapter


@dataclass(frozen=True, slots=True)
class SignalSettings:
    """What an operator may set beside the configuration of the router."""

    guard: AddressGuard = field(default_factory=AddressGuard)
    scrape: ScrapeSettings = field(default_factory=ScrapeSettings)
    limits: FetchLimits = field(default_factory=FetchLimits)
    ejection: EjectionSettings = field(default_factory=EjectionSettings)


class Signals:
    """Discovery puts endpoints into `directory`; the data plane tells `health` what becomes of requests.

    To be made on the event loop. `reconfigure` changes what is asked of endpoints, and loses none of them.
    """

    def __init__(
        self,
        port: RouterPort,
        config: RoutingConfig | None = None,
        *,
        settings: SignalSettings | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._port, self._clock = port, clock
        self._settings = settings or SignalSettings()
        self.directory = Directory(port, self._settings.guard)
        self.health = EndpointHealth(
            self.directory.leave_out, ejections=Ejections(self._settings.ejection), clock=clock
        )
        self.served: dict[str, ServedModels] = {}
        """Models by endpoint, where the configuration has a `models-data-source`."""
        self._side: list[SideSource] = []
        self.kv_events: KvSubscriptions | None = None
        self._file: FileDiscovery | None = None
        self.scraper = self._scraper(config)
        self._follow(config)

    async def start(self) -> None:
        """Read the file of endpoints, if the configuration names one."""
        if self._file is not None:
            await self._file.start()

    async def stop(self) -> None:
        """Ask and hear nobody any more."""
        self.health.close()
        self.scraper.close()
        if self._file is not None:
            await self._file.stop()
        await self._close_followers()

    async def reconfigure(self, config: RoutingConfig | None) -> None:
        """Another configuration: endpoints stay, and are asked in its way. A file that it names is read at `start`.

        InputError where it cannot be followed; then everything stays as it was.
        """
        _kv_settings(config)
        await self._close_followers()
        self.scraper.close()
        self.scraper = self._scraper(config)
        self._follow(config)
        self.directory.introduce()

    @property
    def problems(self) -> list[str]:
        """What an operator should know: endpoints that are silent or left out, events that cannot match, a bad file."""
        return list(self._problems())

    def _problems(self) -> Iterator[str]:
        if self._file is not None and self._file.problem:
            yield self._file.problem
        for name in sorted(self.health.out):
            yield f"endpoint {name} is left out: it fails or cannot be reached"
        for name, state in self.scraper.states.items():
            if state.failures >= self._settings.scrape.failures:
                yield f"endpoint {name} tells no metrics: {state.problem}"
        for name, events in (self.kv_events.states if self.kv_events is not None else {}).items():
            if events.problem:
                yield f"KV events of endpoint {name}: {events.problem}"

    def _scraper(self, config: RoutingConfig | None) -> Scraper:
        source, extractors = _source(config, MetricsDataSource) or (MetricsDataSource(), ())
        extractor = next(
            (each for each in extractors if isinstance(each, CoreMetricsExtractor)), CoreMetricsExtractor()
        )
        labels = tuple(dict.fromkeys((extractor.engine_label_key, *ENGINE_LABELS)))
        return Scraper(
            self._port,
            settings=self._settings.scrape,
            choice=EngineChoice(extractor.engines(), extractor.default_engine, labels),
            where=MetricsPath(source.path, _tls(source.scheme, skip=source.insecure_skip_verify)),
            limits=self._settings.limits,
            probes=self.health,
            clock=self._clock,
        )

    def _follow(self, config: RoutingConfig | None) -> None:
        self._side = list(self._side_sources(config))
        followers: list[Follower] = [*self._side]
        if config is None or _source(config, MetricsDataSource) is not None:
            followers.append(self.scraper)
        events = _kv_settings(config)
        if events is not None:
            # only who reads KV events needs ZMQ
            from bayplan.signals.kv_events.subscriptions import KvSubscriptions  # noqa: PLC0415

            self.kv_events = KvSubscriptions(self._port, events)
            followers.append(self.kv_events)
        discovery = config.discovery if config is not None else None
        if self._file is None and isinstance(discovery, FileDiscoveryPlugin) and discovery.path:
            self._file = FileDiscovery(
                Path(discovery.path), self.directory, self._settings.guard, watch=discovery.watch_file
            )
        self.directory.follow(self.health, *followers)

    def _side_sources(self, config: RoutingConfig | None) -> Iterator[SideSource]:
        limits = self._settings.limits
        if (found := _source(config, ModelsDataSource)) is not None:
            models = found[0]
            tls = _tls(models.scheme, skip=models.insecure_skip_verify)
            yield SideSource(self._take_models, path=models.path, interval_s=_MODELS_S, tls=tls, limits=limits)
        if (found := _source(config, DcgmDataSource)) is not None:
            interval_s = max(_LEAST_S, seconds_of(found[0].interval) or 0.0)
            yield SideSource(self._take_gpus, path="/metrics", interval_s=interval_s, port=found[0].port, limits=limits)

    def _take_models(self, endpoint: Endpoint, body: bytes) -> None:
        self.served[endpoint.name] = found = served_models(body)
        self.scraper.add_adapters(endpoint.name, found.adapters)

    def _take_gpus(self, endpoint: Endpoint, body: bytes) -> None:
        found = gpu_utilization(body, endpoint.name)
        self.scraper.add_attributes(endpoint.name, {} if found is None else {ATTRIBUTE: found})

    async def _close_followers(self) -> None:
        for each in self._side:
            each.close()
        if self.kv_events is not None:
            events, self.kv_events = self.kv_events, None
            await events.close()


def _source(config: RoutingConfig | None, kind: type[Any]) -> tuple[Any, tuple[Any, ...]] | None:
    """The first source of a type and its extractors; None where the configuration has none."""
    sources = () if config is None else config.sources
    return next(
        ((each.plugin, tuple(each.extractors.values())) for each in sources if isinstance(each.plugin, kind)), None
    )


def _kv_settings(config: RoutingConfig | None) -> KvEventSettings | None:
    """Where KV events come from; None where no plugin wants any."""
    plugins = () if config is None else config.plugins.values()
    precise = next((each for each in plugins if isinstance(each, PreciseMatching)), None)
    if precise is None:
        return None
    return KvEventSettings.of(precise.kv_events_config, precise.token_processor_config.size)


def _tls(scheme: str, *, skip: bool) -> ssl.SSLContext | None:
    if scheme != "https":
        return None
    context = ssl.create_default_context()
    if skip:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context
