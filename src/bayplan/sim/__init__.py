"""Simulated engines and fleets: what a real one would do, from numbers."""
