"""Baselines of Instruct."""
