"""Our own documents: Cluster and Workload, in the short forms that people write."""
