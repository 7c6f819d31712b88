"""Baselines of Shogi."""
