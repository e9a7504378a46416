"""Workload documents: native ones and other dialects, read into the same nouns."""
