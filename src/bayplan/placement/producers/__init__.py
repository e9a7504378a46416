"""The producers of placement: columns that filters and scorers read, worked out from a worker's cards."""
