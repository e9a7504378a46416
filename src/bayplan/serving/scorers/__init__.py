"""The order of servers and of server replicas, one scorer a file."""
