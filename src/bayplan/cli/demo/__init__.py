"""What `bayplan up` sets up beside the server, and the guided tour of it."""
