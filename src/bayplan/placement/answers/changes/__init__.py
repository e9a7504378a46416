"""The smallest changes that would make a workload fit, each planned with."""
