"""Which profiles of serving run, and in which order."""
