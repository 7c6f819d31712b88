"""Baselines of the gridworlds."""
