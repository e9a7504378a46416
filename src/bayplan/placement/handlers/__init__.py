"""The handlers of placement: which profile runs next."""
