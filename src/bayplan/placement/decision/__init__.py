"""Decisions: one replica, one cluster; which worker and which cards."""
