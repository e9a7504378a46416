"""Prefix cache: chains of block hashes, and which endpoint holds which blocks."""
