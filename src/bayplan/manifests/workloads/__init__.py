"""What may be asked for: our own Workloads and the dialects of others, read into the same nouns."""
