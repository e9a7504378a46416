"""Pools, objectives and configurations of inference gateways: checked, and kept until requests are routed."""
