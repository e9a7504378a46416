"""What a running system tells its operator: logs, and later metrics and traces."""
