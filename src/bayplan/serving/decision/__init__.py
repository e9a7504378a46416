"""One decision: the server and the server replicas that a model gets."""
