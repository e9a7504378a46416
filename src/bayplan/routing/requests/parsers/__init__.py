"""Parsers: one API of requests each."""
