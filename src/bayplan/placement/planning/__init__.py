"""Plans: where the replicas of a workload go, what is evicted for them, and which replicas are removed."""
