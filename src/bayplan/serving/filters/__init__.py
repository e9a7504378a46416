"""What keeps a model off a server or a server replica, one filter a file."""
