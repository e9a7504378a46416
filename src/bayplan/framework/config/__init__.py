"""A scheduler from a document: strict, every problem at once, each with its place and line."""
