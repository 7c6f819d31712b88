"""Worlds that two unlike agents control together."""
