"""NUMA zones: what each has free, and which cards one zone can give."""
