"""Baselines of the games."""
