"""Producers: what is worked out for a request before endpoints are compared."""
