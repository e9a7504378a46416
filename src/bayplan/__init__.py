"""Bayplan decides where AI work runs, and says why."""

__version__ = "0.1.0"
