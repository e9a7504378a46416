"""Replay of request traces against simulated engines, in virtual time, to judge how requests are routed."""
