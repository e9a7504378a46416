"""Scorers: which endpoint is better for this request."""
