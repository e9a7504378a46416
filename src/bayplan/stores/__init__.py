"""Implementations of the store port: in memory and in SQLite, with the same rules."""
