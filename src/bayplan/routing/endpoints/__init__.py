"""Endpoints: what answers requests, and what is known of it."""
