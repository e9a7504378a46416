"""Discovery: which endpoints there are, from objects of the store, from replicas that run, from a file."""
