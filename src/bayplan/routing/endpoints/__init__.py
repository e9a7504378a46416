"""Endpoints: what answers requests, and the table that decisions look at."""
