"""Pickers: which of the endpoints that are left, and how many."""
