"""Baselines of the social worlds."""
