"""Requests to endpoints: which replica answers each request, and why."""
