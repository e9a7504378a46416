"""NUMA zones: whether one of them holds a request, and how few do."""
