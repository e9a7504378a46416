"""Nodes of a running system: heartbeats, outages, draining, and what is measured on them."""
