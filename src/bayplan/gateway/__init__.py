"""Data planes: what carries requests to the endpoints that the router picks."""
