"""A simulated model server: the V2 inference protocol and its repository extension, without models."""
