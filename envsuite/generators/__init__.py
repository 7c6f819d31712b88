"""Compiled, seeded generators of levels."""
