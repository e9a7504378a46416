"""Pickers: which of the rows that are left."""
