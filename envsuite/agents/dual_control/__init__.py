"""Baselines of the dual-control worlds."""
