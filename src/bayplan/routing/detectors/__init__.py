"""Detectors: how full the pool is; as filters, which endpoints are not full."""
