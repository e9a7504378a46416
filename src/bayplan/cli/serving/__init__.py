"""Models on servers, for people."""
