"""Statuses of objects: pure functions of what is asked for and what is observed, one file a kind."""
