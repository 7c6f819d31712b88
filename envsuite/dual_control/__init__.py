"""Worlds that two agents with different roles control together."""
