"""Worlds on grids for one agent or a few."""
