"""The HTTP API: the REST conventions of Kubernetes, and verbs of our own under /v1."""
