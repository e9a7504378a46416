"""Asks: what one replica wants of a worker, tier by tier."""
