"""Compressed headers of HTTP/2 (RFC 7541): a whole decoder, and an encoder that keeps no state."""
