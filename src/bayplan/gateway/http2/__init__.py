"""A server side of HTTP/2 (RFC 9113) for gRPC: a core without input and output, and the asyncio protocol around it."""
