"""Baselines of XLand."""
