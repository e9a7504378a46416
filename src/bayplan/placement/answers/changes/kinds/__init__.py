"""The kinds of change, one file each."""
