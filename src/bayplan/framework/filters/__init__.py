"""Filters that make sense for candidates of any kind."""
