"""Admitters: which requests are refused before any endpoint is picked."""
