"""The server's side of gRPC over our HTTP/2: messages, statuses, services by their paths."""
