"""Worlds that two agents with different roles, tools and knowledge control together.

Help desks, off-switch and assistance games, preferences to be found out, and other tasks with tools.
"""
