"""Plans: where the replicas of a workload go, who makes room for them, and which replicas go when fewer are wanted."""
