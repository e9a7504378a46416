"""Metrics: numbers that are counted while the system runs, and written as text when Prometheus asks."""
