"""Preemption: what must be evicted so that a workload fits, found on hypothetical rows before anything is evicted."""
