"""Envoy in front of the picker: its configuration, its installation, and the process that runs both."""
