"""Metrics of episodes and of populations."""
