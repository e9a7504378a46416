"""The metrics text of engines, read for the few families that decisions need."""
