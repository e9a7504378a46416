"""How the files of a model must lie so that a server can load them: one file for each kind of server."""
