"""Deciders: whether a request is worth a further stage."""
