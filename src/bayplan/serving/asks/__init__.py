"""What a model asks of server replicas."""
