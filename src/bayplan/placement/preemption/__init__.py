"""Preemption: who must make room so that a workload fits, found on hypothetical rows before anybody is hurt."""
