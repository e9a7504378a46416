"""Filters: which endpoints may not answer this request."""
