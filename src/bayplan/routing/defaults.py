"""What routing brings: its plugins, and what every configuration gets."""

from __future__ import annotations

from bayplan.routing.admitters.latency_slo_admitter import LatencySloAdmitter
from bayplan.routing.admitters.probabilistic_admitter import ProbabilisticAdmitter
from bayplan.routing.deciders.always_disagg_multimodal_decider import AlwaysDisaggMultimodalDecider
from bayplan.routing.deciders.always_disagg_pd_decider import AlwaysDisaggPdDecider
from bayplan.routing.deciders.prefix_based_pd_decider import PrefixBasedPdDecider
from bayplan.routing.detectors.concurrency_detector import ConcurrencyDetector
from bayplan.routing.detectors.utilization_detector import UtilizationDetector
from bayplan.routing.filters.by_label import ByLabel
from bayplan.routing.filters.decode_filter import DecodeFilter
from bayplan.routing.filters.encode_filter import EncodeFilter
from bayplan.routing.filters.endpoint_attribute_filter import EndpointAttributeFilter
from bayplan.routing.filters.endpoint_ready import EndpointReady
from bayplan.routing.filters.endpoint_subset import EndpointSubset
from bayplan.routing.filters.label_selector_filter import LabelSelectorFilter
from bayplan.routing.filters.prefill_filter import PrefillFilter
from bayplan.routing.filters.prefix_cache_affinity_filter import PrefixCacheAffinityFilter
from bayplan.routing.filters.session_affinity_filter import SessionAffinityFilter
from bayplan.routing.filters.slo_headroom_tier_filter import SloHeadroomTierFilter
from bayplan.routing.filters.topology_affinity_filter import TopologyAffinityFilter
from bayplan.routing.filters.utilization_filter import UtilizationFilter
from bayplan.routing.handlers.data_parallel_profile_handler import DataParallelProfileHandler
from bayplan.routing.handlers.disagg_profile_handler import DisaggProfileHandler
from bayplan.routing.handlers.header_profile_handler import HeaderProfileHandler
from bayplan.routing.handlers.pd_profile_handler import PdProfileHandler
from bayplan.routing.handlers.shadow_profile_handler import ShadowProfileHandler
from bayplan.routing.handlers.single_profile_handler import SingleProfileHandler
from bayplan.routing.pickers.max_score_picker import MaxScorePicker
from bayplan.routing.pickers.random_picker import RandomPicker
from bayplan.routing.pickers.weighted_random_picker import WeightedRandomPicker
from bayplan.routing.producers.agent_identity import AgentIdentity
from bayplan.routing.producers.approx_prefix_cache_producer import ApproxPrefixCacheProducer
from bayplan.routing.producers.burst_prefix_cache_producer import BurstPrefixCacheProducer
from bayplan.routing.producers.disagg_headers_handler import DisaggHeadersHandler
from bayplan.routing.producers.disaggregatedset_rollout_screener import DisaggregatedsetRolloutScreener
from bayplan.routing.producers.inflight_load_producer import InflightLoadProducer
from bayplan.routing.producers.mm_embeddings_cache_producer import MmEmbeddingsCacheProducer
from bayplan.routing.producers.p2p_source_producer import P2pSourceProducer
from bayplan.routing.producers.precise_prefix_cache_producer import PrecisePrefixCacheProducer
from bayplan.routing.producers.predicted_latency_producer import PredictedLatencyProducer
from bayplan.routing.producers.prefill_header_handler import PrefillHeaderHandler
from bayplan.routing.producers.priority_then_time_eviction_order_policy import PriorityThenTimeEvictionOrderPolicy
from bayplan.routing.producers.request_attribute_reporter import RequestAttributeReporter
from bayplan.routing.producers.session_id_producer import SessionIdProducer
from bayplan.routing.producers.sheddable_eviction_filter import SheddableEvictionFilter
from bayplan.routing.producers.token_producer import TokenProducer
from bayplan.routing.scorers.active_request_scorer import ActiveRequestScorer
from bayplan.routing.scorers.context_length_aware import ContextLengthAware
from bayplan.routing.scorers.endpoint_attribute_scorer import EndpointAttributeScorer
from bayplan.routing.scorers.header_label_affinity_scorer import HeaderLabelAffinityScorer
from bayplan.routing.scorers.kv_cache_utilization_scorer import KvCacheUtilizationScorer
from bayplan.routing.scorers.latency_scorer import LatencyScorer
from bayplan.routing.scorers.load_aware_scorer import LoadAwareScorer
from bayplan.routing.scorers.lora_affinity_scorer import LoraAffinityScorer
from bayplan.routing.scorers.mm_embeddings_cache_scorer import MmEmbeddingsCacheScorer
from bayplan.routing.scorers.no_hit_lru_scorer import NoHitLruScorer
from bayplan.routing.scorers.precise_prefix_cache_scorer import PrecisePrefixCacheScorer
from bayplan.routing.scorers.prefill_cost_scorer import PrefillCostScorer
from bayplan.routing.scorers.prefix_cache_scorer import PrefixCacheScorer
from bayplan.routing.scorers.queue_scorer import QueueScorer
from bayplan.routing.scorers.running_requests_size_scorer import RunningRequestsSizeScorer
from bayplan.routing.scorers.session_affinity_scorer import SessionAffinityScorer
from bayplan.routing.scorers.token_load_scorer import TokenLoadScorer
from bayplan.routing.scorers.topology_affinity_scorer import TopologyAffinityScorer
from bayplan.routing.sources.core_metrics_extractor import CoreMetricsExtractor
from bayplan.routing.sources.dcgm_data_source import DcgmDataSource
from bayplan.routing.sources.dcgm_extractor import DcgmExtractor
from bayplan.routing.sources.endpoint_notification_source import EndpointNotificationSource
from bayplan.routing.sources.file_discovery import FileDiscovery
from bayplan.routing.sources.k8s_notification_source import K8sNotificationSource
from bayplan.routing.sources.metrics_data_source import MetricsDataSource
from bayplan.routing.sources.models_data_extractor import ModelsDataExtractor
from bayplan.routing.sources.models_data_source import ModelsDataSource
from bayplan.routing.sources.topology_extractor import TopologyExtractor

REQUIRED_FILTERS: tuple[str, ...] = (EndpointReady.name, EndpointSubset.name)
"""Every profile begins with them: what is not ready, or not allowed, must never be picked."""

HANDLER = SingleProfileHandler.name
"""The handler of configurations with one profile that name none."""

PICKER = MaxScorePicker.name
"""The picker of profiles without one, where none is declared."""

DETECTOR = UtilizationDetector.name
"""The saturation detector of configurations that name none."""


def builtins() -> tuple[type, ...]:
    """Every routing plugin that a configuration may name, beside parsers and policies of flow control."""
    return (
        ByLabel,
        DecodeFilter,
        EncodeFilter,
        EndpointAttributeFilter,
        EndpointReady,
        EndpointSubset,
        LabelSelectorFilter,
        PrefillFilter,
        PrefixCacheAffinityFilter,
        SessionAffinityFilter,
        SloHeadroomTierFilter,
        TopologyAffinityFilter,
        UtilizationFilter,
        ConcurrencyDetector,
        UtilizationDetector,
        ActiveRequestScorer,
        ContextLengthAware,
        EndpointAttributeScorer,
        HeaderLabelAffinityScorer,
        KvCacheUtilizationScorer,
        LatencyScorer,
        LoadAwareScorer,
        LoraAffinityScorer,
        MmEmbeddingsCacheScorer,
        NoHitLruScorer,
        PrecisePrefixCacheScorer,
        PrefillCostScorer,
        PrefixCacheScorer,
        QueueScorer,
        RunningRequestsSizeScorer,
        SessionAffinityScorer,
        TokenLoadScorer,
        TopologyAffinityScorer,
        MaxScorePicker,
        RandomPicker,
        WeightedRandomPicker,
        DataParallelProfileHandler,
        DisaggProfileHandler,
        HeaderProfileHandler,
        PdProfileHandler,
        ShadowProfileHandler,
        SingleProfileHandler,
        AlwaysDisaggMultimodalDecider,
        AlwaysDisaggPdDecider,
        PrefixBasedPdDecider,
        LatencySloAdmitter,
        ProbabilisticAdmitter,
        AgentIdentity,
        ApproxPrefixCacheProducer,
        BurstPrefixCacheProducer,
        DisaggHeadersHandler,
        DisaggregatedsetRolloutScreener,
        InflightLoadProducer,
        MmEmbeddingsCacheProducer,
        P2pSourceProducer,
        PrecisePrefixCacheProducer,
        PredictedLatencyProducer,
        PrefillHeaderHandler,
        PriorityThenTimeEvictionOrderPolicy,
        RequestAttributeReporter,
        SessionIdProducer,
        SheddableEvictionFilter,
        TokenProducer,
        CoreMetricsExtractor,
        DcgmDataSource,
        DcgmExtractor,
        EndpointNotificationSource,
        FileDiscovery,
        K8sNotificationSource,
        MetricsDataSource,
        ModelsDataExtractor,
        ModelsDataSource,
        TopologyExtractor,
    )
