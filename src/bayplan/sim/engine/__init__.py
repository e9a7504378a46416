"""A simulated model server: how requests share its steps and its KV cache, and an HTTP server around that."""
