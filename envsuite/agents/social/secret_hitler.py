"""Baselines of Secret Hitler."""
