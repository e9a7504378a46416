"""Workload to GPUs: what fits where, and why."""
